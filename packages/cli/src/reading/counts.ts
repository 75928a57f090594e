import { redisStore } from '@sluice/core'
import { createRuleLimiter } from '@sluice/rules'
import type { ExceededRule, PeekedCounts, RuleContext, RuleDecision, RuleSet } from '@sluice/rules'
import { Redis } from 'ioredis'

export interface CountsOptions {
  /** The URL of the Redis server. */
  readonly redis: string
  /** The prefix of the keys, as `redisStore` takes it. */
  readonly prefix?: string
  readonly at?: number
}

/** How a request stands. */
export interface Standing {
  readonly decision: RuleDecision
  /** All rules that are over their limit. */
  readonly exceeded: readonly ExceededRule[]
  readonly counts: PeekedCounts['counts']
}

const patienceMs = 5000

/** Reads from Redis how a request stands. It changes no count, and opens one connection. */
export async function readCounts(
  rules: RuleSet,
  context: RuleContext,
  { redis: url, prefix, at }: CountsOptions,
): Promise<Standing> {
  const redis = await connected(url)
  try {
    const store = redisStore(redis, {
      timeout: patienceMs,
      ...(prefix === undefined ? {} : { prefix }),
    })
    const limiter = createRuleLimiter({
      rules: { name: rules.name, current: rules },
      store,
      onStoreError: 'deny',
      ...(at === undefined ? {} : { clock: () => at }),
    })
    const [decision, exceeded, { counts, source }] = await Promise.all([
      limiter.peek(context),
      limiter.peekAll(context),
      limiter.peekCounts(context),
    ])
    const isRead = decision.source === 'store' && source === 'store'
    if (!isRead) throw new Error(`the counts cannot be read from ${shownUrl(url)}`)
    return { decision, exceeded, counts }
  } finally {
    redis.disconnect()
  }
}

async function connected(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: patienceMs,
    maxRetriesPerRequest: 0,
    // A command that fails once shall say so, and not wait.
    retryStrategy: () => null,
    enableOfflineQueue: false,
  })
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  try {
    await redis.connect()
    await redis.ping()
    return redis
  } catch (error) {
    redis.disconnect()
    // The error of the command says only that the connection is closed.
    const { message } = reason ?? (error instanceof Error ? error : new Error(String(error)))
    throw new Error(`no connection to ${shownUrl(url)}: ${message}`, { cause: error })
  }
}

/** A URL without what may be a password. */
function shownUrl(url: string): string {
  return url.replace(/\?.*$/, '').replace(/\/\/.*@/, '//')
}
