import { setTimeout as delay } from 'node:timers/promises'
import type { KeyView, SearchView } from '@sluice/dashboard'
import type { KeyArgument } from '../reading/key-text.js'
import { PageError, type PageClient } from './page-client.js'
import {
  isBlocked,
  stillBlocked,
  type Act,
  type ChangedState,
  type SearchStep,
  type Target,
} from './target.js'

/** Reads and changes counts through a mounted dashboard. */
export async function pageTarget(page: PageClient): Promise<Target> {
  const { limiters, isMasked = false } = await page.view(0)
  const names = limiters.filter(({ canAct }) => canAct).map(({ name }) => name)

  async function send(limiter: string, key: string, act: Act): Promise<ChangedState> {
    const { unblock: _unblock, ...sent } = { unblock: false, ...act }
    const { key: state, wasCounted } = await page.act({ limiter, key, ...sent })
    return { ...state, wasCounted }
  }

  async function status(limiter: string, { text }: KeyArgument): Promise<KeyView> {
    return page.key(limiter, text)
  }

  return {
    limiters: names,
    isMasked,
    status,
    async act(limiter, key, act) {
      if (act.act !== 'reset') return send(limiter, key.text, act)
      const unblocked = act.unblock
        ? await send(limiter, key.text, { ...act, act: 'unblock' })
        : undefined
      try {
        const { wasCounted, ...state } = await send(limiter, key.text, act)
        return { ...state, wasCounted: unblocked?.wasCounted ?? wasCounted }
      } catch (error) {
        if (isRefused(error, 'SLUICE_VIEW_KEY_BLOCKED'))
          throw new Error(stillBlocked, { cause: error })
        throw error
      }
    },
    async *search(limiters): AsyncGenerator<SearchStep> {
      // Redis can return a key twice. Two keys can have the same masked text.
      const listed = new Set<string>()
      for (const limiter of limiters) {
        let cursor: string | null = ''
        while (cursor !== null) {
          const found: SearchView = await searched(page, limiter, cursor)
          const blocked = found.keys.filter(
            (one) => isBlocked(one) && (isMasked || !listed.has(`${limiter} ${one.key}`)),
          )
          for (const { key } of blocked) listed.add(`${limiter} ${key}`)
          yield { blocked, keys: found.scanned }
          cursor = found.cursor
        }
      }
    },
    close() {},
  }
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof PageError && error.code === code
}

/** A dashboard searches at a pace of its own, and refuses a request if others wait already. */
async function searched(page: PageClient, limiter: string, cursor: string): Promise<SearchView> {
  for (let tries = 1; ; tries++) {
    try {
      return await page.search(limiter, cursor)
    } catch (error) {
      if (!isRefused(error, 'SLUICE_SEARCH_BUSY') || tries === mostTries) throw error
      await delay(busyMs)
    }
  }
}

const mostTries = 15
const busyMs = 2000
