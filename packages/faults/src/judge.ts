import type { Answered } from './load.js'
import { keys, limits } from './app/limits.js'
import { stalledMs } from './moments.js'
import type { Emptied, Phase, Recorded } from './record.js'

/** The figures of one fault in the table. */
export interface Figures {
  readonly requests: number
  /** The number of decisions of each source, by phase. */
  readonly sources: readonly {
    readonly phase: string
    readonly counts: ReadonlyMap<string, number>
  }[]
  /** The longest wait of a client. */
  readonly worstMs: number
  /** The longest wait without the time in which the machine ran other processes. */
  readonly worstOwnMs: number
  /** The time from the return of Redis to the last decision without it. Undefined if Redis did not return. */
  readonly backMs: number | undefined
  /** The units that Redis counted and no client received a reply about. Negative if Redis lost units about which clients had received replies. */
  readonly lateUnits: number | undefined
  /** The broken promises. */
  readonly complaints: readonly string[]
}

/** The deadline of the store, plus the time for the rest of a request. */
const mostMs = 300

/** The longest time until Redis decides again. */
export const backWithinMs = 1000

/** A shorter phase may have no requests. */
const shortMs = 200

/** The application may notice that Redis is available this much earlier than the scene records it. */
const soonerMs = 200

/** Compares a recording with the promises. */
export function judge(record: Recorded): Figures {
  const { phases, answers, broken } = record
  const complaints: string[] = []
  if (broken !== undefined) complaints.push(broken)
  const byPhase = phases.map((phase) => ({
    phase: phase.name,
    counts: countBy(answersOf(phases, phase, answers)),
  }))
  for (const phase of phases) {
    const next = phases[phases.indexOf(phase) + 1]
    const isShort = next !== undefined && next.from - phase.from < shortMs
    if (!isShort && answersOf(phases, phase, answers).length === 0) {
      complaints.push(`${phase.name}: no requests`)
    }
  }

  for (const answer of answers) {
    const complaint = complaintAbout(answer, phases)
    if (complaint !== undefined) complaints.push(complaint)
  }
  complaints.push(...aboutTightLimit(record))

  const own = (answer: Answered): number => answer.end - answer.start - machineMs(record, answer)
  const worstOwnMs = Math.max(0, ...answers.map(own))
  if (worstOwnMs > mostMs + record.busyMs)
    complaints.push(`a client waited ${ms(worstOwnMs)}, without the time of other processes`)

  const lateUnits = lateUnitsOf(record)
  if (lateUnits !== undefined) {
    const { unknown = 0, forgettable = 0 } = record.counted ?? {}
    if (lateUnits > unknown)
      complaints.push(`${lateUnits} units were counted that no client received a reply about`)
    if (-lateUnits > forgettable) complaints.push(`${-lateUnits} units were lost`)
  }
  if (complaints.length > 0) complaints.push(...record.errors)
  return {
    requests: answers.length,
    sources: byPhase,
    worstMs: Math.max(0, ...answers.map(({ start, end }) => end - start)),
    worstOwnMs,
    backMs: backMsOf(phases, answers),
    lateUnits,
    complaints: summed(complaints),
  }
}

function machineMs({ appStalls, loadStalls }: Recorded, { start, end }: Answered): number {
  return stalledMs([...appStalls, ...loadStalls], start, end)
}

function answersOf(
  phases: readonly Phase[],
  phase: Phase,
  answers: readonly Answered[],
): readonly Answered[] {
  const next = phases[phases.indexOf(phase) + 1]
  return answers.filter(
    ({ start }) => start >= phase.from && (next === undefined || start < next.from),
  )
}

/** Every phase that a request overlaps, and the previous phase while the next one has not settled. */
function phasesOf({ start, end }: Answered, phases: readonly Phase[]): readonly Phase[] {
  return phases.filter(({ from, isReturn }, i) => {
    const next = phases[i + 1]
    return (
      (isReturn ? from - soonerMs : from) <= end &&
      (next === undefined || start < next.from + next.settlesMs)
    )
  })
}

function complaintAbout(answer: Answered, phases: readonly Phase[]): string | undefined {
  const { route, key, source, status, problem } = answer
  const seen = phasesOf(answer, phases)
  const where = seen[0]?.name ?? 'before'
  if (problem !== undefined || source === undefined) return `${where}: ${problem ?? 'no source'}`
  // The deny cache denies a key that the store has just denied, whether Redis is available or not.
  const isRecalled = source === 'local' && route === 'tight' && status === 429
  const isExpected = seen.some(({ sources }) => sources(key, route).includes(source))
  if (!isRecalled && !isExpected) return `${where}: ${route} decided by ${source}`
  const isAllowed = source === 'open' || (source !== 'closed' && route === 'open')
  const isDenied = source === 'closed' || source === 'local'
  if (status !== 200 && status !== 429) return `${where}: status ${status}`
  if (isAllowed && status !== 200) return `${where}: ${route} denied by ${source}`
  if (isDenied && status !== 429) return `${where}: ${route} allowed by ${source}`
  return undefined
}

/** The store and the fallback each allow exactly the tight limit, to the unit: of each algorithm, if two versions of the application run. */
function aboutTightLimit(record: Recorded): readonly string[] {
  const algorithms = new Set(record.answers.map(({ algorithm }) => algorithm))
  return keys.flatMap((key) =>
    [...algorithms].flatMap((algorithm) => {
      const asked = record.answers.filter(
        (answer) =>
          answer.route === 'tight' && answer.key === key && answer.algorithm === algorithm,
      )
      return aboutKey(record, key, asked)
    }),
  )
}

function aboutKey(
  { emptied, counted }: Recorded,
  key: string,
  asked: readonly Answered[],
): readonly string[] {
  const complaints: string[] = []
  const losses = lossesOf(emptied, key)
  // Once in each period without a loss of counts.
  for (const i of [...losses.keys(), losses.length]) {
    const decided = asked.filter(
      (answer) =>
        answer.source === 'store' &&
        isSince(losses[i - 1], answer) &&
        (losses[i] === undefined || answer.end < losses[i].at),
    )
    // The units of lost replies are used up as well.
    const least = limits.tight - (counted?.unknown ?? 0)
    complaints.push(...exactly('the store', key, decided, least))
  }
  const locally = asked.filter(({ source }) => source === 'fallback')
  complaints.push(...exactly('the fallback', key, locally, limits.tight))
  return complaints
}

function lossesOf(emptied: Recorded['emptied'], key: string): readonly Emptied[] {
  return emptied.filter(({ keys }) => keys.includes(key))
}

/** Whether an answer was certainly given after the store was emptied. */
function isSince(loss: Emptied | undefined, { start, end }: Answered): boolean {
  if (loss === undefined) return true
  return loss.at === loss.until ? end >= loss.at : start >= loss.until
}

function exactly(
  source: string,
  key: string,
  decided: readonly Answered[],
  least: number,
): readonly string[] {
  const allowed = decided.filter(({ status }) => status === 200).length
  const most = Math.min(limits.tight, decided.length)
  if (allowed <= most && allowed >= Math.min(least, most)) return []
  return [`${source} allowed ${allowed} of ${limits.tight} at the tight limit of ${key}`]
}

function lateUnitsOf({ answers, emptied, counted }: Recorded): number | undefined {
  if (counted === undefined) return undefined
  let late = 0
  for (const [key, units] of counted.units) {
    const since = lossesOf(emptied, key).at(-1)?.at ?? -Infinity
    const replied = answers.filter(
      (answer) =>
        answer.key === key &&
        answer.source === 'store' &&
        answer.status === 200 &&
        answer.end >= since,
    )
    late += units - replied.length
  }
  return late
}

function backMsOf(phases: readonly Phase[], answers: readonly Answered[]): number | undefined {
  const back = phases.find(({ isReturn }) => isReturn)
  if (back === undefined) return undefined
  const others = answers.filter(({ route, key, source, start, end }) => {
    const isRight = source !== undefined && back.sources(key, route).includes(source)
    return route === 'open' && start >= back.from && end >= back.from && !isRight
  })
  return Math.max(0, ...others.map(({ end }) => end - back.from))
}

function countBy(answers: readonly Answered[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { source = 'none' } of answers) counts.set(source, (counts.get(source) ?? 0) + 1)
  return counts
}

/** Each complaint once, with its number of occurrences. */
function summed(complaints: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const complaint of complaints) counts.set(complaint, (counts.get(complaint) ?? 0) + 1)
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
