import { processTime } from '../../clock.js'
import { sluiceError } from '../../errors.js'
import { refundOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'
import { runOf, storeOf, type Travel } from './run.js'

/**
 * Answers within `timeoutMs` of the moment at which a request was asked, whatever the store does: a request that takes longer fails with SLUICE_STORE_TIMEOUT. The store itself must see
 * to it that an abandoned request takes nothing later; what was taken in time, and only its answer came late, is given back.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  const run = runOf(store)

  function giveBack(requests: readonly StoreRequest[], late: readonly Answer[]): void {
    const taken = requests.flatMap((request, i): StoreRequest[] => {
      const answer = late[i]
      if (request.verb !== 'consume' || !('allowed' in answer) || !answer.allowed) return []
      return [refundOf(request, answer.states)]
    })
    if (taken.length > 0) run(taken, () => {})
  }

  return storeOf(
    function runInTime(requests, done, travel) {
      let isSettled = false
      const left = timeoutMs - waitedMs(travel)
      const timer = later(Math.max(0, left), () => {
        if (isSettled) return
        isSettled = true
        const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
        done(requests.map(() => error))
      })
      run(
        requests,
        (answers) => {
          if (isSettled) {
            giveBack(requests, answers)
            return
          }
          isSettled = true
          clearTimeout(timer)
          done(answers)
        },
        travel,
      )
    },
    {
      ping: () => within(timeoutMs, store.ping()),
      close: () => store.close(),
    },
  )
}

/** How long the requests have waited for another call. */
function waitedMs(travel: Travel | undefined): number {
  return travel?.askedAt === undefined ? 0 : processTime.monotonic() - travel.askedAt
}

/** A ping that is not answered in time says no. */
async function within(timeoutMs: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => (timer = later(timeoutMs, () => resolve(false))))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A process that was busy for longer than that finds the timer due before it reads what has come meanwhile. The store is not to blame for
 * that, so what lies there is read first.
 */
function later(timeoutMs: number, then: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(() => nextTurn(then), timeoutMs)
}

const nextTurn: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
