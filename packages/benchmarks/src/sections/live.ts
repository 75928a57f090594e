import { startRedis } from '@sluice/test-kit/servers'
import { conditionsOf, sentenceOf } from '../conditions.js'
import {
  addedToDecisions,
  searchDelays,
  serverCpu,
  viewTime,
  type AddedToDecision,
} from '../live/measure.js'
import { ratio, spread, table } from '../markdown.js'
import type { Section } from '../section.js'

/** The cost of a dashboard and of metrics, for an application that has them. */
export const live: Section = {
  name: 'live',
  page: 'README.md',
  minutes: 9,
  async run(say, quick) {
    const redis = await startRedis()
    try {
      const rounds = quick ? 3 : 15
      const decisions = quick ? 5000 : 30_000
      const added = await addedToDecisions(redis, rounds, decisions, say)
      const server = await serverCpu(redis, rounds, quick ? 500 : 8000, say)
      say('view')
      const view = await viewTime(redis, {
        processes: 16,
        limiters: 20,
        requests: quick ? 5 : 30,
      })
      await redis.client().flushall()
      say('search')
      const search = await searchDelays(redis, quick ? 100_000 : 1_000_000, quick ? 3 : 20)
      const conditions = await conditionsOf(redis.client())
      const [redisIdle, redisSearching] = search.redisP99Ms
      const [loopIdle, loopSearching] = search.loopP99Ms
      return {
        results: { conditions, rounds, added, server, view, search },
        table: [
          `${sentenceOf(conditions)} ${rounds} rounds: the median, and the lowest and highest.`,
          '',
          'The time that each adds to a decision, in microseconds:',
          '',
          addedTable(added),
          '',
          table(
            ['', ''],
            [
              [
                'CPU of a Fastify server for a request, with an open dashboard ÷ without one',
                spread(server.ratio),
              ],
              [
                `\`api/view\` of ${view.processes} processes with ${view.limiters} limiters, ms: median, slowest`,
                `${ratio(view.medianMs)}, ${ratio(view.worstMs)}`,
              ],
              [
                `p99 of a \`GET\` in Redis with ${search.keys.toLocaleString('en')} keys, ms: before, during a search`,
                `${ratio(redisIdle)}, ${ratio(redisSearching)}`,
              ],
              [
                'p99 of the delay of the event loop of the process that searches, ms: before, during',
                `${ratio(loopIdle)}, ${ratio(loopSearching)}`,
              ],
            ],
          ),
        ].join('\n'),
      }
    } finally {
      await redis.stop()
    }
  },
}

function addedTable(all: readonly AddedToDecision[]): string {
  return table(
    ['', 'in memory, one key', 'in memory, many keys', 'over Redis, 64 in flight'],
    all.map(({ watcher, oneKey, manyKeys, overRedis }) => [
      watcher,
      spread(oneKey),
      spread(manyKeys),
      spread(overRedis),
    ]),
  )
}
