import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { goalsOf, pageOf, publish, save } from './publish.js'
import type { Section } from './section.js'
import { sections } from './sections.js'

const { positionals: chosen, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    goals: { type: 'boolean', default: false },
  },
})
const known = sections.map(({ name }) => name)
const unknown = chosen.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no section ${unknown.join(', ')}. The sections are ${known.join(', ')}.\n`,
  )
  process.exitCode = 1
} else if (values.goals) {
  process.stdout.write(`${await goalsOf(sections)}\n`)
} else if (values.publish) {
  await publish(sections)
} else {
  const asked = sections.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
  process.stderr.write(`${planOf(asked, values.quick)}\n`)
  for (const section of asked) await runSection(section, values.quick)
  if (!values.quick) await publish(sections)
}

function planOf(asked: readonly Section[], quick: boolean): string {
  const names = asked.map(({ name, minutes }) => (quick ? name : `${name} ${minutes}`)).join(', ')
  const minutes = asked.reduce((sum, section) => sum + section.minutes, 0)
  const plan = quick
    ? `A short run that writes no results: ${names}.`
    : `About ${minutes} minutes on a quiet machine with two cores: ${names}.`
  const [load] = loadavg()
  if (load < availableParallelism() / 4) return plan
  return `${plan}\nOther programs use this machine (its load is ${load.toFixed(1)}), so the figures will not be precise.`
}

/** Runs a section. If it fails, the next ones run in any case, and the page keeps its last figures. */
async function runSection(section: Section, quick: boolean): Promise<void> {
  const say = createSay()
  const startedAt = performance.now()
  try {
    const found = await section.measure((progress) => say(`${section.name}: ${progress}`), quick)
    if (!quick) await save(section, found)
    process.stdout.write(`\n${pageOf(section, found)}\n`)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`\n${section.name} failed: ${String(error)}\n`)
  }
  say(`${section.name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  process.stderr.write('\n')
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
