import { publish } from './publish.js'
import type { Section } from './section.js'
import { algorithms } from './sections/algorithms.js'

const sections: readonly Section[] = [algorithms]

const asked = process.argv.slice(2)
const known = sections.map(({ name }) => name)
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no section ${unknown.join(', ')}. There are: ${known.join(', ')}\n`,
  )
  process.exitCode = 1
} else {
  for (const section of sections) {
    if (asked.length === 0 || asked.includes(section.name)) await bench(section)
  }
}

async function bench(section: Section): Promise<void> {
  const say = createSay()
  const startedAt = performance.now()
  const findings = await section.run((progress) => say(`${section.name}: ${progress}`))
  await publish(section.name, findings)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  say(`${section.name}: measured in ${seconds} s`)
  process.stderr.write('\n')
  process.stdout.write(`\n${findings.table}\n`)
}

/** On a terminal one line that changes, elsewhere a line for each change. */
function createSay(): (progress: string) => void {
  const { isTTY } = process.stderr
  let said = ''
  return (progress) => {
    if (progress === said) return
    said = progress
    process.stderr.write(isTTY ? `\r\u001B[K${progress}` : `${progress}\n`)
  }
}
