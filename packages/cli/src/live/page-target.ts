import { setTimeout as delay } from 'node:timers/promises'
import { absentOr, boolean, list, nullOr, number, record, text } from '../reading/json-shape.js'
import { shownKey, type KeyArgument } from '../reading/key-text.js'
import { PageError, type PageClient } from './page-client.js'
import { readKeyView, readView, type KeyView } from './page-view.js'
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
  const { limiters, isMasked = false } = await page.get('api/view', { rows: '0' }, readView)
  const names = limiters.filter(({ canAct }) => canAct).map(({ name }) => name)

  async function send(limiter: string, key: string, act: Act): Promise<ChangedState> {
    const { unblock: _unblock, ...sent } = { unblock: false, ...act }
    const answer = await page.post('api/act', { limiter, key, ...sent }, readChange)
    // An older dashboard does not say it.
    return { ...answer.key, wasCounted: answer.wasCounted ?? true }
  }

  async function status(limiter: string, { text }: KeyArgument): Promise<KeyView> {
    return page.get('api/key', { limiter, exact: JSON.stringify(text) }, readKeyView)
  }

  return {
    limiters: names,
    isMasked,
    status,
    async act(limiter, key, act) {
      // A masked text would be taken for a key that no client has.
      if (isMasked && (await status(limiter, key)).isCounted !== true) {
        throw new Error(
          `nothing is counted for ${shownKey(key.text)}, so nothing was changed: the dashboard masks keys, and this may be a masked text. Pass the key itself, or act on the page`,
        )
      }
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
          const found: SearchAnswer = await searched(
            page,
            cursor === '' ? { limiter } : { limiter, cursor },
          )
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

const readChange = record<{ key: KeyView; wasCounted?: boolean | undefined }>({
  key: readKeyView,
  wasCounted: absentOr(boolean),
})

function isRefused(error: unknown, code: string): boolean {
  return error instanceof PageError && error.code === code
}

interface SearchAnswer {
  readonly keys: readonly KeyView[]
  readonly cursor: string | null
  readonly scanned: number
}

const readSearch = record<SearchAnswer>({
  keys: list(readKeyView),
  cursor: nullOr(text),
  scanned: number,
})

/** A dashboard searches at a pace of its own, and refuses a request if others wait already. */
async function searched(
  page: PageClient,
  query: Readonly<Record<string, string>>,
): Promise<SearchAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await page.get('api/search', query, readSearch)
    } catch (error) {
      if (!isRefused(error, 'SLUICE_SEARCH_BUSY') || tries === mostTries) throw error
      await delay(busyMs)
    }
  }
}

const mostTries = 15
const busyMs = 2000
