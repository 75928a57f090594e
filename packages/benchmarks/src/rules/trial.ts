import { compileRules, parsedOf, type Facts, type RuleSet } from '@sluice/rules'
import type { Figures, Groups } from '../figures.js'
import { inRounds, spreadOf } from '../rounds.js'
import { byAction, byPath, type Workload } from './documents.js'

export interface Settings {
  readonly sizes: readonly number[]
  readonly rounds: number
  /** Judgements in a round. */
  readonly judgements: number
}

/** Measures documents of several sizes in turns. The groups have the number of rules as their names, and the fields of a rule as those of contenders. */
export async function tryAll(
  { sizes, rounds, judgements }: Settings,
  say: (progress: string) => void,
): Promise<Groups> {
  const trials: Trial[] = []
  for (const size of sizes) {
    for (const workload of [byPath(size), byAction(size)]) {
      say(`${size} rules by ${workload.name}`)
      trials.push(await prepare(size, workload))
    }
  }
  for (const { rules, requests } of trials) judgeAll(rules, requests, judgements)
  const measured = await inRounds(trials, rounds, (trial, round) => {
    say(`round ${round + 1} of ${rounds}`)
    return Promise.resolve(timed(() => judgeAll(trial.rules, trial.requests, judgements)))
  })
  const groups: Record<string, Record<string, Figures>> = {}
  for (const [{ size, fields, rules, requests, parseMs, compileMs }, times] of measured) {
    const own = (groups[`${size}`] ??= {})
    own[fields] = {
      /** Microseconds of one judgement, the average of a round. */
      judgement: spreadOf(times.map((ms) => (ms * 1000) / judgements)),
      /** Microseconds within which 99 of 100 judgements finished, each timed separately. */
      slowest: spreadOf([slowestOf(rules, requests)]),
      /** Milliseconds, during which the event loop is blocked. */
      parseMs: spreadOf([parseMs]),
      /** Milliseconds, during which requests are still answered. */
      compileMs: spreadOf([compileMs]),
    }
  }
  return groups
}

interface Trial {
  readonly size: number
  readonly fields: string
  readonly rules: RuleSet
  readonly requests: readonly Facts[]
  readonly parseMs: number
  readonly compileMs: number
}

async function prepare(size: number, { name, document, requests }: Workload): Promise<Trial> {
  const start = performance.now()
  const parsed = parsedOf(document)
  const between = performance.now()
  const rules = await compileRules(parsed)
  const end = performance.now()
  return { size, fields: name, rules, requests, parseMs: between - start, compileMs: end - between }
}

/** Judges the requests one after another, and requires that each meets its rule. */
function judgeAll(rules: RuleSet, requests: readonly Facts[], judgements: number): void {
  for (let i = 0; i < judgements; i++) {
    const judgement = rules.judge(requests[i % requests.length], 0)
    if (!('type' in judgement) || judgement.type !== 'ask') throw new Error('a request met no rule')
  }
}

function slowestOf(rules: RuleSet, requests: readonly Facts[]): number {
  const times = Array.from({ length: 20_000 }, (_, i) => {
    const start = process.hrtime.bigint()
    void rules.judge(requests[i % requests.length], 0)
    return Number(process.hrtime.bigint() - start) / 1000
  })
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
