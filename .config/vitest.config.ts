import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { hasSqlite } from '../.ci/provision.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const nest10 = `${root}packages/nestjs/test/nest10/node_modules/@nestjs/`

// Node loads the built packages itself, about a third faster than vite.
const server = { deps: { external: [/\/packages\/[^/]+\/(?:dist|bundle)\//] } }

/** Without a driver of SQLite, `.ci/setup.mjs` says that its tests do not run. */
const isTested = hasSqlite() ? () => true : (name: string) => name !== 'sqlite'

const slowly = { testTimeout: 600_000, hookTimeout: 600_000, disableConsoleIntercept: true }

const all = readdirSync(`${root}packages`)
  .filter(isTested)
  .flatMap((name) => testsOf(`packages/${name}/test/`))
  .filter((file) => !file.includes('node_modules'))

/** They take long by nature. `npm run test:all -- slow` runs them. */
const slow = all.filter((file) => file.endsWith('.slow.test.ts'))

/** These files check the pages of the documentation, and what is drawn in a browser. `npm run check:pages` runs them. */
const pages = all.filter((file) =>
  /^packages\/conformance\/test\/(?:docs|playground|site)\/|\.browser\.test\.ts$/.test(file),
)

/** These files start real runtimes and frameworks. `npm run check:platforms` installs them and runs the files. */
const platforms = all.filter((file) => file.startsWith('packages/platforms/'))

/** These files test every algorithm. `npm run test:all -- algorithms` runs them. */
const algorithms = [
  'core/test/options/durations.short',
  'core/test/options/unknown-option.misplaced',
  'core/test/policy',
  'core/test/promises/plots',
  'core/test/promises/window-bounds',
  'core/test/stores/redis/script',
  'rules/test/document/schema',
  'cli/test/text/policy',
  'cli/test/simulate/policy-replay',
  'cli/test/simulate/variants',
  'conformance/test/docs/api',
  'conformance/test/docs/options',
  'conformance/test/costs',
  'conformance/test/kept-units',
  'conformance/test/memory-equals-redis',
  'conformance/test/models',
  'conformance/test/properties',
  'conformance/test/random-traffic',
  'conformance/test/redis/full',
  'conformance/test/redis/own-clock',
  'conformance/test/redis/state',
  'conformance/test/refunds',
  'conformance/test/stores',
].map((path) => existing(`packages/${path}.test.ts`))

const quick = all.filter((file) => ![slow, pages, platforms].flat().includes(file))

/**
 * These files need a process of their own: they ask V8 how it keeps a number, remove a Unix socket, or count the objects in memory. The others share a process and its
 * modules: to load the modules for each file again would take longer than most of its tests.
 * After the removal, Node 20 does not resolve symbolic links of modules until the next synchronous `stat`: `realpath` reads the type of the socket.
 */
const alone = new Set(
  [
    'core/test/limiter/decision.numbers',
    'express/test/rate-limit.socket',
    'conformance/test/adapters/keep-alive.slow',
    'conformance/test/adapters/nestjs-keep-alive.slow',
    // @hono/node-server, which other files use, replaces the global Response by one that takes any status.
    'fetch/test/rate-limit.settlement',
    // These count timers, and a file before them can have left some that begin others.
    'core/test/http/request/fetch-exchange',
    'core/test/limited/limited.wait',
    'core/test/limiter/leases.kept',
    'core/test/limiter/pause',
    'core/test/stores/ahead/spend-ahead',
    'core/test/stores/pipeline/breaker',
    'core/test/stores/pipeline/pipeline.deadline',
    'core/test/stores/pipeline/pipeline.request-bound',
    'dashboard/test/keys/prefix-check',
    'rules/test/loading/refresh',
    'rules/test/loading/rule-loader',
    // These read warnings, which are given once in a process.
    'core/test/errors',
    'core/test/http/guard/after-response.counts',
    'core/test/http/guard/guard',
    'core/test/http/request/mistakes',
    'core/test/limited/limited.hold',
    'core/test/limiter/limiter-policies.names',
    'core/test/limiter/redundancy',
    'core/test/options/durations.short',
    'cli/test/commands/check',
    'fastify/test/rate-limit.once',
    'fastify/test/rate-limit.order',
    'fetch/test/rate-limit.twice',
    'hono/test/rate-limit.twice',
    'metrics/test/recorder.rules',
    'nestjs/test/decorators',
    'nestjs/test/rate-limit-guard.gateways',
    'postgres/test/errors',
    'postgres/test/postgres-store',
    'rules/test/check/check-rules',
    'rules/test/compile/warnings',
    'rules/test/decide/settlement.unseen',
    'rules/test/loading/load-rules',
  ].map((path) => existing(`packages/${path}.test.ts`)),
)

export default defineConfig({
  root,
  test: {
    projects: [
      ...sharedAndIsolated('quick', quick),
      // Each property has twice the runs that it has in the quick tests.
      ...sharedAndIsolated('slow', slow, { SLUICE_RUNS: process.env['SLUICE_RUNS'] ?? '0.2' }),
      ...sharedAndIsolated('algorithms', algorithms),
      { extends: true, test: { name: 'pages', include: pages, server } },
      { extends: true, test: { name: 'platforms', include: platforms, server } },
      // The packages as npm would publish them, and the examples. Each step installs or starts programs.
      { extends: true, test: { name: 'packages', include: ['.ci/packages.test.mjs'], ...slowly } },
      { extends: true, test: { name: 'smoke', include: ['.ci/smoke.test.mjs'], ...slowly } },
      {
        // The tests of NestJS again, with NestJS 10 instead of 11 for all imports, also in the sources.
        extends: true,
        resolve: { alias: [{ find: /^@nestjs\//, replacement: nest10 }] },
        test: {
          name: 'nest10',
          isolate: false,
          include: all.filter((file) => /^packages\/nestjs\/|\/nestjs(?!-keep)[^/]*$/.test(file)),
        },
      },
    ],
    setupFiles: ['packages/test-kit/src/setup/seed.ts', 'packages/test-kit/src/setup/patience.ts'],
    expect: { poll: { timeout: 30_000 } },
    // Redis servers and forked processes start inside the tests, on machines as small as two cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: Math.max(2, availableParallelism()),
    // A forgotten `.only` would skip the rest of the suite.
    allowOnly: false,
    passWithNoTests: false,
  },
})

function sharedAndIsolated(
  name: string,
  files: readonly string[],
  env: Record<string, string> = {},
) {
  const isolated = files.filter((file) => alone.has(file))
  const shared = files.filter((file) => !isolated.includes(file))
  return [
    { extends: true as const, test: { name, include: shared, isolate: false, server, env } },
    { extends: true as const, test: { name: `${name}-isolated`, include: isolated, server, env } },
  ]
}

/** A file that is renamed must not leave a list silently. */
function existing(file: string): string {
  if (!all.includes(file)) throw new Error(`${file} does not exist`)
  return file
}

function testsOf(folder: string): string[] {
  if (!existsSync(root + folder)) return []
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => folder + file)
}
