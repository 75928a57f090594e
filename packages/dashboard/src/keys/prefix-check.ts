import type { Limiter } from '@sluice/core'
import { warnOfFailure } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { bounded } from '../share/bounded.js'
import type { DashboardShare } from '../share/share.js'
import type { FoundKey } from './key-desk.js'

/** How often it looks, and how long it waits for Redis. */
const everyMs = 5000

/** Finds out whether `redisView` has the prefix of the store: with another one, its search finds no key, and says nothing. */
export class PrefixCheck {
  readonly #limiters: readonly Limiter[]
  readonly #share: DashboardShare
  /** A key that a limiter has counted in the last minutes, as the limiter sees it. */
  readonly #counted: (limiter: string) => Promise<FoundKey | undefined>
  readonly #timer: NodeJS.Timeout
  #isRunning = false
  /** Whether the keys of a limiter are there. Undefined until a limiter has counted a key in a store beyond this process. */
  #isRight: boolean | undefined

  constructor(
    limiters: Iterable<Limiter>,
    share: DashboardShare,
    counted: (limiter: string) => Promise<FoundKey | undefined>,
  ) {
    this.#limiters = [...limiters]
    this.#share = share
    this.#counted = counted
    this.#timer = setInterval(() => void this.#look(), everyMs).unref()
  }

  /** The prefix, if no key of the limiters begins with it. */
  get wrongPrefix(): string | undefined {
    return this.#isRight === false ? this.#share.prefix : undefined
  }

  /** Looks again, until a key of any limiter is found. It never fails. */
  async #look(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    const found = await Promise.all(this.#limiters.map(async (one) => this.#find(one)))
    this.#isRunning = false
    if (found.includes(true)) {
      this.#isRight = true
      this.close()
    } else if (found.includes(false)) {
      if (this.#isRight === undefined) warn(this.#share.prefix)
      this.#isRight = false
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Whether Redis has a counted key of the limiter. Undefined if there is none to look for. */
  async #find(limiter: Limiter): Promise<boolean | undefined> {
    try {
      const answer = limiter.ping()
      // A store that answers at once is in this process, and in no Redis.
      if (!isPromise(answer) || !(await answer)) return undefined
      const { key = '', look } = (await this.#counted(limiter.name)) ?? {}
      const lasts = look?.policies.some(({ used, resetMs }) => used > 0 && resetMs > 1000)
      if (look?.source !== 'store' || lasts !== true) return undefined
      return await bounded(this.#share.has(limiter.name, key), everyMs, 'Redis')
    } catch {
      return undefined
    }
  }
}

function warn(prefix: string): void {
  const text =
    `createDashboard: Redis has no key of the limiters under the prefix "${prefix}" of redisView, although they have counted keys in their store, so the search of the ` +
    'page finds none. Pass redisView the "prefix" of redisStore, and the Redis of the store.'
  const about = { name: 'SluiceWarning', code: 'SLUICE_VIEW_PREFIX' }
  warnOfFailure(Object.assign(new Error(text), about))
}
