import { fileURLToPath, pathToFileURL } from 'node:url'
import { join } from 'node:path'
import {
  createLimiter,
  redisStore,
  type AsyncStore,
  type Limiter,
  type LimiterOptions,
} from '@sluice/core'
import type { TestRedis } from '@sluice/test-kit/redis'
import { folderWith, sluice, type Ran } from '../sluice.js'

/** The limiters of an application, and the commands beside it. */
export interface Application {
  readonly api: Limiter<AsyncStore>
  readonly login: Limiter<AsyncStore>
  /** The options that lead to its counts. */
  readonly place: readonly string[]
  /** The folder with the module `limiters.mjs`. */
  readonly cwd: string
  /** Runs a command with these options. */
  sluice(...args: readonly string[]): Promise<Ran>
}

/** The module of the core. */
export const core: string = fileURLToPath(new URL('../../../core/bundle/index.js', import.meta.url))

/** The module that the application imports its limits from, and that the commands read. */
export const limitersFile = `import { fixedWindow, slidingWindow } from ${JSON.stringify(core)}
export const api = { name: 'api', limit: 10, window: '1h' }
export const login = {
  name: 'login',
  policies: {
    minute: slidingWindow({ limit: 5, window: '1m' }),
    hour: fixedWindow({ limit: 20, window: '1h' }),
  },
}
`

interface Limits {
  readonly api: LimiterOptions<AsyncStore>
  readonly login: LimiterOptions<AsyncStore>
}

let prefixes = 0

/** Starts an application that counts in Redis. */
export async function applicationIn(redis: TestRedis): Promise<Application> {
  const cwd = await folderWith({ 'limiters.mjs': limitersFile })
  const limits: Limits = await import(pathToFileURL(join(cwd, 'limiters.mjs')).href)
  const prefix = `test${prefixes++}`
  // Each decision is that of Redis, also directly after a command.
  const common = {
    store: redisStore(redis.connection, { prefix, timeout: 5000 }),
    denyCache: false,
  }
  const place = [
    '--redis',
    `redis://127.0.0.1:${redis.port}`,
    '--limiters',
    'limiters.mjs',
    '--prefix',
    prefix,
  ]
  return {
    api: createLimiter({ ...limits.api, ...common }),
    login: createLimiter({ ...limits.login, ...common }),
    place,
    cwd,
    sluice: async (...args) => sluice([...args, ...place], { cwd }),
  }
}

/** The JSON that a command has printed. */
export function jsonOf({ status, stdout, stderr }: Ran): Record<string, unknown> {
  if (status !== 0 || stderr !== '') throw new Error(`exit code ${status}: ${stderr}`)
  return JSON.parse(stdout)
}
