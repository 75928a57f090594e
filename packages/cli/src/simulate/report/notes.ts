import { listKey } from '../keys.js'
import type { LogFacts } from '../log/read.js'
import type { GroupReplay } from '../replay.js'
import type { LogReport, VariantReport } from './report.js'

/** The notes that restrict the meaning of the numbers of a report. */
export function notesOf(
  log: LogReport,
  { zoneless, listEntry }: Pick<LogFacts, 'zoneless' | 'listEntry'>,
  variants: readonly VariantReport[],
  groups: readonly GroupReplay[],
): readonly string[] {
  const notes = [
    'The log shows how clients behaved without these limits. Denied clients react: some stop, others retry.',
  ]
  if (log.time === 'end') {
    notes.push(
      'The log has no durations. Each request is replayed at the time of its line, which is the end of the response.',
    )
  }
  if (zoneless) {
    notes.push('The times of the log state no zone, and are taken for UTC or for --zone.')
  }
  if (listEntry !== undefined && groups.some(({ key }) => key.fields.includes(listKey))) {
    notes.push(
      `The key ${listKey} is entry ${listEntry} from the end of each list, because no list of the first lines is shorter. --address states another one.`,
    )
  }
  if (log.spread) {
    notes.push('The log has whole seconds. The requests of each second are spread evenly over it.')
  }
  if (log.limited > 0) {
    notes.push(
      `${count(log.limited, 'request')} in the log had the status 429, from another limiter. They are replayed like all others.`,
    )
  }
  if (log.sampled < 1) {
    notes.push(
      `Only ${Math.round(log.sampled * 1000) / 10} % of the keys were replayed, with all their requests.`,
    )
  }
  if (log.truncated)
    notes.push('The compressed log is truncated. The report covers the part before.')
  for (const { name, key, unkeyed } of variants) {
    if (unkeyed > 0)
      notes.push(`${name}: requests without the key ${key} are not limited: ${unkeyed}.`)
  }
  const unused = groups.flatMap(({ keys, variants: own }) =>
    own.flatMap(({ given }) => Object.keys(given.grants ?? {}).filter((key) => !keys.has(key))),
  )
  if (unused.length > 0) {
    notes.push(
      `${count(unused.length, 'grant')} changed nothing: no replayed request has such a key.`,
    )
  }
  if (groups.some(({ keys }) => keys.isFull)) {
    notes.push('The log has more keys than a replay counts. The numbers of keys are lower bounds.')
  }
  if (groups.some(({ variants }) => variants.some(({ replay }) => replay.store.evicted > 0))) {
    notes.push('The store was full and evicted counts, so denials are missing. Use --sample.')
  }
  return notes
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
