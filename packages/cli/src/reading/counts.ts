import { redisStore } from '@sluice/core'
import { createRuleLimiter } from '@sluice/rules'
import type { ExceededRule, PeekedCounts, RuleContext, RuleDecision, RuleSet } from '@sluice/rules'
import { connectRedis, shownUrl, timeoutMs } from './redis.js'

export interface CountsOptions {
  /** The URL of the Redis server. */
  readonly redis: string
  /** Whether the URL is that of a node of a Redis Cluster. */
  readonly cluster?: boolean
  /** The prefix of the keys, as `redisStore` takes it. */
  readonly prefix?: string
  readonly at?: number
}

/** The counts for a request, and the decision that they lead to. */
export interface Standing {
  readonly decision: RuleDecision
  /** All rules that are over their limit. */
  readonly exceeded: readonly ExceededRule[]
  readonly counts: PeekedCounts['counts']
}

/** Reads the counts for a request from Redis. It changes no count. */
export async function readCounts(
  rules: RuleSet,
  context: RuleContext,
  { redis: url, cluster, prefix, at }: CountsOptions,
): Promise<Standing> {
  const redis = await connectRedis(url, { cluster })
  try {
    const store = redisStore(redis, {
      timeout: timeoutMs,
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
