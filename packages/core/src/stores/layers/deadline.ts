import { sluiceError } from '../../errors.js'
import { refundOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'

/**
 * Answers within `timeoutMs`, whatever the store does: a request that takes longer fails with SLUICE_STORE_TIMEOUT. The store itself must see
 * to it that an abandoned request takes nothing later; what was taken in time, and only its answer came late, is given back.
 */
export function withDeadline(store: AsyncStore, name: string, timeoutMs: number): AsyncStore {
  async function giveBack(
    requests: readonly StoreRequest[],
    late: Promise<readonly Answer[]>,
  ): Promise<void> {
    const answers = await late
    const taken = requests.flatMap((request, i): StoreRequest[] => {
      const answer = answers[i]
      if (request.verb !== 'consume' || !('allowed' in answer) || !answer.allowed) return []
      return [refundOf(request, answer.states)]
    })
    if (taken.length > 0) await store.run(taken)
  }

  return {
    async: true,
    run(requests) {
      const answers = store.run(requests)
      return within(timeoutMs, answers, (): readonly Answer[] => {
        void giveBack(requests, answers)
        const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
        return requests.map(() => error)
      })
    },
    ping: () => within(timeoutMs, store.ping(), () => false),
    close: () => store.close(),
  }
}

async function within<T>(timeoutMs: number, answer: Promise<T>, otherwise: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSettled = false
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => {
      nextTurn(() => {
        if (!isSettled) resolve(otherwise())
      })
    }, timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    isSettled = true
    clearTimeout(timer)
  }
}

/**
 * A process that was busy for longer than that finds the timer due before it reads what has come meanwhile. The store is not to blame for
 * that, so what lies there is read first.
 */
const nextTurn: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
