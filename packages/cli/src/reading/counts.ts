import { redisStore } from '@sluice/core'
import { createRuleLimiter } from '@sluice/rules'
import type { ExceededRule, PeekedCounts, RuleContext, RuleDecision, RuleSet } from '@sluice/rules'
import { clientAt, placesOf, type RedisPlace } from './redis-place.js'
import { connectRedis, shownUrl, timeoutMs } from './redis.js'

export interface CountsOptions {
  /** The URL of the Redis server. */
  readonly redis: string
  /** Whether the URL is that of a node of a Redis Cluster. */
  readonly cluster?: boolean
  /** The prefix of the keys: that of `redisStore`, or that of the client with that of `redisStore`. */
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
    const standings = await Promise.all(placesOf(prefix).map(standingAt))
    return standings.find(hasCounts) ?? standings[0]
  } finally {
    redis.disconnect()
  }

  async function standingAt(place: RedisPlace): Promise<Standing> {
    const limiter = createRuleLimiter({
      rules: { name: rules.name, current: rules },
      store: redisStore(clientAt(redis, place), { prefix: place.prefix, timeout: timeoutMs }),
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
  }
}

function hasCounts({ counts }: Standing): boolean {
  return [...counts.values()].some(({ allowed, resetMs }) => !allowed || resetMs > 0)
}
