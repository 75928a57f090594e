import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type * as Http from '../../src/http/index.js'
import type * as Core from '../../src/index.js'

interface Modules {
  readonly core: typeof Core
  readonly http: typeof Http
}

/** The warnings of new modules: each code is reported once for each time that they are loaded. */
async function warningsOf(act: (modules: Modules) => unknown): Promise<string[]> {
  vi.resetModules()
  const messages: string[] = []
  const warned = (warning: Error & { code?: string }) =>
    void messages.push(`${warning.code}: ${warning.message}`)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  await act({
    core: await import('../../src/index.js'),
    http: await import('../../src/http/index.js'),
  })
  await setImmediate()
  return messages
}

const told = (where: string, option: string, value: number) => [
  `SLUICE_DURATION_SHORT: ${where}: "${option}" is ${value}, which means ${value} milliseconds. If seconds are meant, pass '${value}s'. ` +
    `If milliseconds are meant, pass '${value}ms', and there is no warning.`,
]

test.each<[string, string, (core: typeof Core) => unknown]>([
  ['fixedWindow', 'window', ({ fixedWindow }) => fixedWindow({ limit: 5, window: 60 })],
  ['slidingWindow', 'window', ({ slidingWindow }) => slidingWindow({ limit: 5, window: 60 })],
  ['slidingLog', 'window', ({ slidingLog }) => slidingLog({ limit: 5, window: 60 })],
  ['gcra', 'window', ({ gcra }) => gcra({ limit: 5, window: 60 })],
  ['tokenBucket', 'every', (core) => core.tokenBucket({ capacity: 5, refill: 1, every: 60 })],
  ['leakyBucket', 'every', (core) => core.leakyBucket({ capacity: 5, leak: 1, every: 60 })],
  ['leakyQueue', 'every', (core) => core.leakyQueue({ leak: 1, every: 60, maxDelay: '1s' })],
  ['concurrency', 'lease', ({ concurrency }) => concurrency({ limit: 5, lease: 60 })],
  [
    'block',
    'for',
    ({ fixedWindow }) => fixedWindow({ limit: 5, window: '1m', block: { for: 60 } }),
  ],
])('%s warns of a bare number below 1000 as "%s"', async (where, option, build) => {
  expect(await warningsOf(({ core }) => build(core))).toEqual(told(where, option, 60))
})

test('rateLimit warns of it once, and not once more for the policy that it makes', async () => {
  const warnings = await warningsOf(({ http }) => http.createGuard({ limit: 5, window: 999 }))
  expect(warnings).toEqual(told('rateLimit', 'window', 999))
})

test('a limiter warns of it when a key is blocked', async () => {
  const warnings = await warningsOf(({ core: { createLimiter, slidingWindow } }) => {
    const policies = slidingWindow({ limit: 5, window: '1m' })
    createLimiter({ name: 'api', policies }).block('key', 60)
  })
  expect(warnings).toEqual(told('limiter "api"', 'for', 60))
})

test('does not warn of 1000, of a string, nor of timeouts and waits', async () => {
  const warnings = await warningsOf(({ core, http }) => {
    const { createLimiter, fixedWindow, leakyQueue, redisStore, slidingWindow } = core
    slidingWindow({ limit: 5, window: 1000 })
    fixedWindow({ limit: 5, window: '60ms', block: { for: '60ms', max: '60ms' } })
    leakyQueue({ leak: 1, every: '60ms', maxDelay: 60 })
    createLimiter({ name: 'api', policies: fixedWindow({ limit: 5, window: '60ms' }) })
    http.createGuard({ limit: 5, window: '60ms', wait: { max: 60 } })
    redisStore({ isCluster: false, evalSha: async () => {}, eval: async () => {} }, { timeout: 60 })
  })
  expect(warnings).toEqual([])
})

test('does not warn of a policy that was built before: its numbers are milliseconds', async () => {
  const warnings = await warningsOf(({ core: { createLimiter, fixedWindow, staged } }) => {
    const built = fixedWindow({ limit: 5, window: '60ms', block: { for: '60ms' } })
    const store = { ...built, ...JSON.parse(JSON.stringify(built)) }
    const free = fixedWindow({ limit: 5, window: '60ms' })
    createLimiter({ name: 'built', policies: built }).consume('key')
    createLimiter({ name: 'stored', policies: store }).consume('key')
    createLimiter({ name: 'staged', policies: staged({ free, then: free }) }).consume('key')
  })
  expect(warnings).toEqual([])
})
