import type { GroupReplay } from '../replay.js'
import type { LogReport, VariantReport } from './report.js'

/** What a reader has to keep in mind, because numbers are easily believed too much. */
export function notesOf(
  log: LogReport,
  variants: readonly VariantReport[],
  groups: readonly GroupReplay[],
): readonly string[] {
  const notes = [
    'A replay cannot know how clients would have reacted to denials: some would have stopped, others would have tried again.',
  ]
  if (log.time === 'end') {
    notes.push(
      'The log does not say when requests arrived; each is replayed at the time of its line, which servers write at the end of the response.',
    )
  }
  if (log.spread) {
    notes.push('The log has whole seconds; the requests of one second are spread evenly over it.')
  }
  if (log.limited > 0) {
    notes.push(
      `${count(log.limited, 'request')} in the log had the status 429: another limiter denied them. They are replayed like all others.`,
    )
  }
  if (log.sampled < 1) {
    notes.push(
      `Only ${Math.round(log.sampled * 1000) / 10} % of the keys were replayed, each with all its requests.`,
    )
  }
  if (log.truncated)
    notes.push('The compressed log ended before its end; the report is about what precedes it.')
  for (const { name, key, unkeyed } of variants) {
    if (unkeyed > 0)
      notes.push(`${name}: ${count(unkeyed, 'request')} without the key ${key} were not limited.`)
  }
  if (groups.some(({ keys }) => keys.isFull)) {
    notes.push(
      'The log has more keys than the simulation counts; numbers of keys are lower bounds.',
    )
  }
  if (groups.some(({ variants }) => variants.some(({ replay }) => replay.store.evicted > 0))) {
    notes.push('The store was full and evicted counts; some denials are missing. Use --sample.')
  }
  return notes
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
