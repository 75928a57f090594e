import { processTime } from '../../clock.js'
import { sluiceError } from '../../errors.js'
import { refundOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'
import { runOf, storeOf, type CallInfo } from './run.js'

/**
 * Answers each request within `timeoutMs` of the moment at which it was made; a request that takes longer fails with SLUICE_STORE_TIMEOUT. The
 * store must make sure that an abandoned request takes no units later. Units that were taken in time, but whose reply was late, are refunded.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  const run = runOf(store)

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
            refundLate(requests, answers)
            return
          }
          isSettled = true
          clearTimeout(timer)
          done(answers)
        },
        info,
      )
    },
    {
      ping: () => within(timeoutMs, store.ping()),
      close: () => store.close(),
    },
  )
}

/** The time that the requests have waited for another call. */
function waitedMs(info: CallInfo | undefined): number {
  return info?.askedAt === undefined ? 0 : processTime.monotonic() - info.askedAt
}

/** Resolves to false if the ping is not answered in time. */
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
 * If the event loop was blocked for longer than `timeoutMs`, the timer is due before the replies that have arrived are read. They are in time, so
 * the callback waits until the sockets have been read.
 */
function later(timeoutMs: number, then: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(() => nextTurn(then), timeoutMs)
}

const nextTurn: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
