import { parseArgs } from 'node:util'
import { rows } from './rows/index.js'
import { atOnce, playAll } from './play-all.js'
import type { Row } from './scene.js'
import { tableOf, type Played } from './table.js'

/**
 * Plays every fault on real processes and prints a table of the figures. The exit code is 1 if a row fails:
 * `npm run faults -- [words of the row's name] [--at-once 3] [--one-client]`. With `--one-client`, each fault is played with one of its clients:
 * with its first, the next fault with its second, and so on.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: `${atOnce}` },
    'one-client': { type: 'boolean', default: false },
  },
})
const named = rows.filter((row) => {
  const name = `${row.fault}, ${row.client}`
  return positionals.every((word) => name.includes(word))
})
const chosen = values['one-client'] ? withOneClient(named) : named
const started = performance.now()
const played = await playAll(chosen, Number(values['at-once']), tell)
const failed = played.filter((row) => !holds(row)).length
const seconds = Math.round((performance.now() - started) / 1000)
process.stdout.write(`${tableOf(played)}\n\n`)
process.stdout.write(`${played.length - failed} of ${played.length} hold, ${seconds} s\n`)
process.exitCode = failed === 0 ? 0 : 1

function withOneClient(all: readonly Row[]): readonly Row[] {
  const faults = [...new Set(all.map((row) => row.fault))]
  return faults.map((fault, i) => {
    const same = all.filter((row) => row.fault === fault)
    return same[i % same.length]
  })
}

function tell(row: Played): void {
  process.stderr.write(`${holds(row) ? 'holds' : 'FAILS'}  ${row.fault}, ${row.client}\n`)
}

function holds({ figures }: Played): boolean {
  return figures.complaints.length === 0
}
