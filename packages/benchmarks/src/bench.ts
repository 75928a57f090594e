import { parseArgs } from 'node:util'
import { publish, publishRatios } from './publish.js'
import type { Section } from './section.js'
import { algorithms } from './sections/algorithms.js'
import { cold } from './sections/cold.js'
import { footprint } from './sections/footprint.js'
import { growth } from './sections/growth.js'
import { http } from './sections/http.js'
import { memory } from './sections/memory.js'
import { redis } from './sections/redis.js'
import { rules } from './sections/rules.js'
import { simulate } from './sections/simulate.js'

const sections: readonly Section[] = [
  cold,
  memory,
  footprint,
  redis,
  http,
  growth,
  algorithms,
  rules,
  simulate,
]

const { positionals: chosen, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
const known = sections.map(({ name }) => name)
const unknown = chosen.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no section ${unknown.join(', ')}. The sections are ${known.join(', ')}.\n`,
  )
  process.exitCode = 1
} else {
  for (const section of sections) {
    if (chosen.length === 0 || chosen.includes(section.name))
      await runSection(section, values.quick)
  }
  if (!values.quick) await publishRatios(sections)
}

async function runSection(section: Section, quick: boolean): Promise<void> {
  const say = createSay()
  const startedAt = performance.now()
  const findings = await section.run((progress) => say(`${section.name}: ${progress}`), quick)
  if (!quick) await publish(section, findings)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  say(`${section.name}: measured in ${seconds} s`)
  process.stderr.write('\n')
  process.stdout.write(`\n${findings.table}\n`)
}

/** Prints the progress: in one line that changes on a terminal, and otherwise in a new line for each change. */
function createSay(): (progress: string) => void {
  const { isTTY } = process.stderr
  let last = ''
  return (progress) => {
    if (progress === last) return
    last = progress
    process.stderr.write(isTTY ? `\r\u001B[K${progress}` : `${progress}\n`)
  }
}
