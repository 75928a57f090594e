import { processTime } from '../../clock.js'
import { sluiceError } from '../../errors.js'
import { refundOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'
import { runOf, storeOf, type CallInfo } from './run.js'
import { createTimeouts, type Timeouts } from './timeouts.js'

/**
 * Answers each request within `timeoutMs` of the moment at which it was made; a request that takes longer fails with SLUICE_STORE_TIMEOUT. The
 * store must make sure that an abandoned request takes no units later. Units that were taken in time, but whose reply was late, are refunded.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  const run = runOf(store)
  const timeouts = createTimeouts()

  function refundLate(requests: readonly StoreRequest[], late: readonly Answer[]): void {
    const taken = requests.flatMap((request, i): StoreRequest[] => {
      const answer = late[i]
      if (request.verb !== 'consume' || !('allowed' in answer) || !answer.allowed) return []
      return [refundOf(request, answer.states)]
    })
    if (taken.length > 0) run(taken, () => {})
  }

  return storeOf(
    function runInTime(requests, done, info) {
      let isSettled = false
      const left = timeoutMs - waitedMs(info)
      const call = timeouts.begin(Math.max(0, left), () => {
        isSettled = true
        const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
        done(requests.map(() => error))
      })
      run(
        requests,
        (answers) => {
          if (isSettled) {
            refundLate(requests, answers)
            return
          }
          isSettled = true
          timeouts.end(call)
          done(answers)
        },
        info,
      )
    },
    {
      ping: () => within(timeouts, timeoutMs, store.ping()),
      close: () => store.close(),
    },
  )
}

/** The time that the requests have waited for another call. */
function waitedMs(info: CallInfo | undefined): number {
  return info?.askedAt === undefined ? 0 : processTime.monotonic() - info.askedAt
}

/** Resolves to false if the ping is not answered in time. */
function within(timeouts: Timeouts, timeoutMs: number, answer: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = timeouts.begin(timeoutMs, () => resolve(false))
    answer.finally(() => timeouts.end(call)).then(resolve, reject)
  })
}
