import { compileRules, parsedOf, type Facts, type RuleSet } from '@sluice/rules'
import { inRounds, spreadOf, type Spread } from '../rounds.js'
import { byAction, byPath, type Workload } from './documents.js'

export interface Settings {
  readonly sizes: readonly number[]
  readonly rounds: number
  /** Judgements in a round. */
  readonly judgements: number
}

/** The cost of a document of one size. */
export interface RulesFigures {
  readonly rules: number
  readonly fields: string
  /** Microseconds of one judgement, the average of a round. */
  readonly judgement: Spread
  /** Microseconds within which 99 of 100 judgements finished, each timed separately. */
  readonly slowest: number
  /** Milliseconds, during which the event loop is blocked. */
  readonly parseMs: number
  /** Milliseconds, during which requests are still answered. */
  readonly compileMs: number
}

/** Measures documents of several sizes in turns. */
export async function tryAll(
  { sizes, rounds, judgements }: Settings,
  say: (progress: string) => void,
): Promise<readonly RulesFigures[]> {
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
  return trials.map((trial) => {
    const perJudgement = (measured.get(trial) ?? []).map((ms) => (ms * 1000) / judgements)
    const { size, fields, rules, requests, parseMs, compileMs } = trial
    const slowest = slowestOf(rules, requests)
    return { rules: size, fields, judgement: spreadOf(perJudgement), slowest, parseMs, compileMs }
  })
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
