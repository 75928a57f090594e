import { parseArgs } from 'node:util'
import { rows } from './rows/index.js'
import { atOnce, playAll } from './play-all.js'
import { tableOf } from './table.js'

/**
 * Plays every fault on real processes and prints the table of figures; ends with 1 where a row does not hold:
 * `pnpm --filter @sluice/conformance faults [what its name contains] [--at-once 3]`.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'at-once': { type: 'string', default: `${atOnce}` } },
})
const chosen = rows.filter((row) => {
  const name = `${row.fault}, ${row.client}`
  return positionals.every((word) => name.includes(word))
})
const started = performance.now()
const played = await playAll(chosen, Number(values['at-once']), ({ fault, client, verdict }) => {
  const mark = verdict.complaints.length === 0 ? 'holds' : 'FAILS'
  process.stderr.write(`${mark}  ${fault}, ${client}\n`)
})
const failed = played.filter(({ verdict }) => verdict.complaints.length > 0).length
const seconds = Math.round((performance.now() - started) / 1000)
process.stdout.write(`${tableOf(played)}\n\n`)
process.stdout.write(`${played.length - failed} of ${played.length} hold, ${seconds} s\n`)
process.exitCode = failed === 0 ? 0 : 1
