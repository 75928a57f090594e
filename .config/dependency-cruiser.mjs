// The rules about imports: each folder lists what it may import, and every other import is an error. Type imports count as well.
//
//   examples ─▶ adapters ─▶ core/http ─▶ core/limited ─▶ core/limiter ─▶ stores ─▶ algorithms/algorithm.ts
//                                                                                  algorithms/<kind> ─▶ policy

const core = 'packages/core/src'
const npm = (...names) => `node_modules/(?:${names.join('|')})/`

/** The files at the root of core, without its public face; and the readers of options. */
const ground = `${core}/(?:(?:awaitable|clock|digests|errors|first-in-order|keys|policy|runtime|time-zone)\\.ts$|errors/|options/)`
const algorithmContract = `${core}/algorithms/(?:algorithm|bytes|ids|kind|plain-lua|window)\\.ts$`
const algorithmScripts = `${core}/algorithms/scripts\\.ts$`
const allAlgorithms = `${core}/algorithms/(?:index|register|all)\\.ts$`
/** A limit that names no algorithm has this one. */
const defaultAlgorithm = `${core}/limiter/limit-options\\.ts$`
const storeContract = `${core}/stores/(?:store|compiled-policies|cursor|changes|pending|events)\\.ts$`
const memoryStore = `${core}/stores/memory/index\\.ts$`
const builders = `${core}/algorithms/[^/]+/index\\.ts$`
const adapterNeeds = ['@sluice/core', 'packages/core/(?:bundle|src)/(?:index|http/)']

/** Each rule lists what a folder may import besides its own files. */
const rules = {
  ground: {
    from: ground,
    may: [npm('ms', '@noble/hashes')],
  },
  'algorithm contract': { from: algorithmContract, may: [ground] },
  algorithms: {
    from: `${core}/algorithms/([^/]+)/`,
    own: `${core}/algorithms/$1/`,
    may: [ground, algorithmContract],
    except: [`${core}/algorithms/leaky-queue/`],
  },
  'leaky queue': {
    from: `${core}/algorithms/leaky-queue/`,
    may: [ground, algorithmContract, `${core}/algorithms/gcra/(?:steps|script|span)\\.ts$`],
  },
  'all algorithms': { from: allAlgorithms, may: [ground, `${core}/algorithms/`] },
  'all scripts': {
    from: algorithmScripts,
    may: [`${core}/algorithms/(?:[^/]+/(?:script|steps|index)|ids|plain-lua)\\.ts$`],
  },
  'store contract': { from: storeContract, may: [ground, algorithmContract] },
  'memory store': {
    from: `${core}/stores/memory/`,
    may: [ground, algorithmContract, storeContract],
  },
  pipeline: {
    from: `${core}/stores/pipeline/`,
    may: [ground, algorithmContract, storeContract],
  },
  'Redis store': {
    from: `${core}/stores/redis/`,
    may: [
      ground,
      algorithmContract,
      algorithmScripts,
      storeContract,
      `${core}/stores/pipeline/`,
      npm('cluster-key-slot'),
    ],
  },
  databases: {
    from: `${core}/stores/database/`,
    may: [ground, algorithmContract, storeContract, `${core}/stores/pipeline/`],
  },
  limiter: {
    from: `${core}/limiter/`,
    may: [ground, algorithmContract, storeContract, memoryStore],
    except: [defaultAlgorithm],
  },
  'default algorithm': {
    from: defaultAlgorithm,
    may: [ground, `${core}/algorithms/sliding-window/index\\.ts$`, `${core}/limiter/`],
  },
  'hot keys': { from: `${core}/hot-keys/`, may: [`${core}/first-in-order\\.ts$`] },
  replay: {
    from: `${core}/replay/`,
    may: [
      ground,
      algorithmContract,
      `${core}/limiter/`,
      storeContract,
      memoryStore,
      `${core}/stores/memory/key-hash\\.ts$`,
    ],
  },
  limited: { from: `${core}/limited/`, may: [ground, `${core}/limiter/`, storeContract] },
  'core/http': {
    from: `${core}/http/`,
    may: [
      ground,
      algorithmContract,
      builders,
      `${core}/algorithms/register\\.ts$`,
      storeContract,
      memoryStore,
      `${core}/stores/redis/scripts\\.ts$`,
      `${core}/limiter/`,
      `${core}/limited/`,
      npm('ipaddr\\.js', 'negotiator'),
    ],
  },
  express: adapter('express', npm('express', '@types/express')),
  koa: adapter('koa', npm('koa', '@types/koa')),
  fetch: adapter('fetch'),
  hono: adapter('hono', npm('hono'), '^hono/', '@sluice/fetch', 'packages/fetch/(?:bundle|src)/'),
  fastify: adapter('fastify', npm('fastify', 'fastify-plugin')),
  nestjs: adapter(
    'nestjs',
    npm('@nestjs/common', '@nestjs/core', '@nestjs/microservices', '@nestjs/websockets', 'rxjs'),
    '^(?:node:)?(?:async_hooks|events|http)$',
  ),
  sqlite: {
    from: 'packages/sqlite/src/',
    may: [...adapterNeeds, '@sluice/core/database', '^(?:node:)?timers/promises$'],
  },
  postgres: {
    from: 'packages/postgres/src/',
    may: [...adapterNeeds, '@sluice/core/database', '^(?:node:)?crypto$'],
  },
  client: adapter('client'),
  metrics: adapter('metrics', '^(?:node:)?diagnostics_channel$'),
  dashboard: adapter(
    'dashboard',
    'packages/core/(?:bundle|src)/hot-keys/',
    '^(?:node:)?(?:crypto|diagnostics_channel|fs|fs/promises|http|path|timers/promises|url)$',
  ),
  sockets: adapter('sockets', '^(?:node:)?events$'),
  testing: {
    from: 'packages/testing/src/',
    may: [
      ...adapterNeeds,
      '@sluice/core/database',
      '^(?:node:)?(?:assert|crypto|timers/promises)$',
    ],
  },
  rules: {
    from: 'packages/rules/src/',
    may: [
      ...adapterNeeds,
      npm('re2js', 'yaml', 'zod'),
      // The cruiser does not resolve a package whose exports are for `import` only.
      '^rou3$',
      '^(?:node:)?(?:crypto|diagnostics_channel|events|fs/promises|path|timers/promises|url|worker_threads)$',
    ],
  },
  cli: {
    from: 'packages/cli/src/',
    may: [
      ...adapterNeeds,
      '@sluice/rules',
      '@sluice/dashboard',
      'packages/dashboard/(?:bundle|src)/index',
      'packages/core/(?:bundle|src)/(?:hot-keys|replay)/',
      'packages/rules/(?:dist|src)/(?:check/)?index',
      npm('commander', 'ioredis', 'yaml'),
      '^rou3$',
      '^(?:node:)?(?:crypto|fs|fs/promises|module|path|process|stream|stream/consumers|timers/promises|url|util|zlib)$',
    ],
  },
  examples: {
    from: '^examples/([^/]+)/',
    own: '^examples/$1/',
    may: [
      '^(?!packages/|\\.\\./)',
      'packages/[^/]+/(?:bundle|dist)/(?:simulate/)?index',
      'packages/core/bundle/http/',
    ],
  },
}

/** The folders of a package from the lowest up. A folder imports only lower ones; those of one line do not import each other. */
const floors = [
  ['packages/core/src', [['errors'], ['options']]],
  [
    'packages/core/src/http',
    [['lists'], ['request'], ['keys'], ['response'], ['rules'], ['options'], ['guard']],
  ],
  [
    'packages/rules/src',
    [['errors'], ['document'], ['match'], ['compile/limits'], ['compile'], ['check', 'loading']],
  ],
  ['packages/dashboard/src', [['collect'], ['data'], ['share'], ['http']]],
  ['packages/cli/src', [['text'], ['simulate'], ['reading'], ['live'], ['output'], ['commands']]],
  ['packages/cli/src/simulate', [['cut'], ['input']]],
  ['packages/cli/src/simulate', [['report'], ['rules']]],
]

const upwards = floors.flatMap(([root, lines]) =>
  lines.flatMap((folders, line) =>
    folders.map((folder) => ({
      name: `only-downwards-${folder}`.replace('/', '-'),
      comment: `${folder} imports only lower folders: see the floors in .config/dependency-cruiser.mjs.`,
      severity: 'error',
      from: { path: `^${root}/${folder}/` },
      to: {
        path: `^${root}/(?:${[...folders, ...lines.slice(line + 1).flat()].join('|')})/`,
        pathNot: `^${root}/${folder}/`,
      },
    })),
  ),
)

function adapter(name, ...may) {
  return { from: `packages/${name}/src/`, may: [...adapterNeeds, ...may] }
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'No file imports itself by way of others, types included.',
      severity: 'error',
      from: { pathNot: '/test/' },
      to: { circular: true },
    },
    ...upwards,
    {
      name: 'entries-export-only',
      comment:
        'The files of http outside its folders are its entries, which export from the folders.',
      severity: 'error',
      from: { path: `${core}/http/[^/]+/` },
      to: { path: `${core}/http/[^/]+$` },
    },
    {
      name: 'servers-do-not-check',
      comment: 'Only the entry of its own loads the checks of documents.',
      severity: 'error',
      from: { path: '^packages/rules/src/', pathNot: '^packages/rules/src/check/' },
      to: { path: '^packages/rules/src/check/' },
    },
    ...Object.entries(rules).map(([name, { from, own = from, may, except = [] }]) => ({
      name: name.replaceAll(' ', '-'),
      comment: `${from} imports only what .config/dependency-cruiser.mjs lists for it.`,
      severity: 'error',
      from: { path: from, pathNot: except },
      to: { pathNot: [own, ...may] },
    })),
    {
      name: 'suites-by-name',
      comment: 'The suites and the benchmarks import packages by their names.',
      severity: 'error',
      from: { path: 'packages/(conformance|faults|benchmarks)/src/' },
      to: { path: 'packages/[^/]+/src/', pathNot: 'packages/$1/src/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/', '/bundle/'] },
    exclude: {
      path: [
        '/test/',
        '^examples/[^/]+/node_modules/',
        '^packages/[^/]+/node_modules/',
        // The output of the platforms, whose examples can run meanwhile.
        '/\\.(?:next|svelte-kit|wrangler)/',
        '^examples/sveltekit/build/',
      ],
    },
  },
}
