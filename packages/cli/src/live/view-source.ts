import { readRedisView, type View } from '@sluice/dashboard'
import { clientAt, placesOf } from '../reading/redis-place.js'
import { connectRedis, shownUrl, type RedisConnection } from '../reading/redis.js'
import type { TargetOptions } from '../reading/target-options.js'
import { pageClient } from './page-client.js'

/** A place from which views are read. */
export interface ViewSource {
  /** The place without secrets. */
  readonly place: string
  read(): Promise<View>
  close(): void
}

/** The most rows of each list of keys that a dashboard sends. */
export const mostRows = 200

/**
 * Opens the place that the options name.
 *
 * @param rows the rows of each list of keys that are needed. The lists can be longer
 */
export function openViewSource(options: TargetOptions, rows: number): ViewSource {
  const { url, header = [], redis } = options
  if (url !== undefined) return pageSource(url, Object.fromEntries(header), rows)
  if (redis === undefined) throw new Error('state --url of a dashboard, or --redis')
  return redisSource(redis, options)
}

function pageSource(
  url: string,
  headers: Readonly<Record<string, string>>,
  rows: number,
): ViewSource {
  const page = pageClient({ url, headers })
  return {
    place: page.shown,
    read: async () => page.view(Math.min(rows, mostRows)),
    close() {},
  }
}

/** After a failure, the next read connects again. */
function redisSource(url: string, { cluster, prefix }: TargetOptions): ViewSource {
  let connection: RedisConnection | undefined

  function close(): void {
    connection?.disconnect()
    connection = undefined
  }

  return {
    place: shownUrl(url),
    async read() {
      connection ??= await connectRedis(url, { cluster })
      try {
        const views = await viewsIn(connection, prefix)
        return views.find(({ processes }) => processes > 0) ?? views[0]
      } catch (error) {
        close()
        throw error
      }
    },
    close,
  }
}

async function viewsIn(
  connection: RedisConnection,
  prefix: string | undefined,
): Promise<readonly View[]> {
  return Promise.all(
    placesOf(prefix).map(async (place) =>
      readRedisView(clientAt(connection, place), { prefix: place.prefix }),
    ),
  )
}
