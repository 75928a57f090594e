// The rules about imports: each folder lists what it may import, and every other import is an error. Type imports count as well.
//
//   examples ─▶ adapters ─▶ core/http ─▶ core/limited ─▶ core/limiter ─▶ stores ─▶ algorithms/algorithm.ts
//                                                                                  algorithms/<kind> ─▶ policy

const core = 'packages/core/src'
const npm = (...names) => `node_modules/(?:${names.join('|')})/`

/** The files at the root of core, without its two entries; and the folders that they share. */
const ground = `${core}/(?:(?!index\\.|internal\\.)[^/]+$|errors/|options/)`
/** The files beside the folders of the algorithms: the table of kinds and what is made of it, and what the folders share. */
const allAlgorithms = `${core}/algorithms/(?:all|index|kinds)\\.ts$`
const algorithmScripts = `${core}/algorithms/scripts\\.ts$`
const algorithmContract = `${core}/algorithms/(?!(?:all|index|kinds|scripts)\\.ts$)[^/]+$`
const storeContract = `${core}/stores/[^/]+$`
const storeQueue = `${core}/stores/queue/`
const memoryStore = `${core}/stores/memory/index\\.ts$`
/** A limit that names no algorithm has the sliding window. */
const defaultAlgorithm = `${core}/limiter/limit-options\\.ts$`
const adapterNeeds = ['^@sluice/core(?:/http|/http/application|/internal)?$']
const databaseNeeds = [...adapterNeeds, '^@sluice/core/database$']

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
    except: [`${core}/algorithms/(?:leaky-queue|sliding-window)/`],
  },
  'leaky queue': basedOn('leaky-queue', 'gcra'),
  'sliding window': basedOn('sliding-window', 'bucketed-window'),
  'all algorithms': {
    from: allAlgorithms,
    may: [ground, algorithmContract, `${core}/algorithms/[^/]+/index\\.ts$`],
  },
  'all scripts': { from: algorithmScripts, may: [algorithmContract, `${core}/algorithms/[^/]+/`] },
  'store contract': { from: storeContract, may: [ground, algorithmContract] },
  'memory store': {
    from: `${core}/stores/memory/`,
    may: [ground, algorithmContract, storeContract],
  },
  queue: { from: `${core}/stores/queue/`, may: [ground, algorithmContract, storeContract] },
  pipeline: {
    from: `${core}/stores/pipeline/`,
    may: [ground, algorithmContract, storeContract, storeQueue],
  },
  'Redis store': {
    from: `${core}/stores/redis/`,
    may: [
      ground,
      algorithmContract,
      algorithmScripts,
      storeContract,
      storeQueue,
      `${core}/stores/pipeline/`,
      npm('cluster-key-slot'),
    ],
  },
  databases: {
    from: `${core}/stores/database/`,
    may: [ground, algorithmContract, storeContract, storeQueue, `${core}/stores/pipeline/`],
  },
  limiter: {
    from: `${core}/limiter/`,
    may: [ground, algorithmContract, storeContract, storeQueue, memoryStore],
    except: [defaultAlgorithm],
  },
  'default algorithm': {
    from: defaultAlgorithm,
    may: [ground, `${core}/algorithms/sliding-window/index\\.ts$`, `${core}/limiter/`],
  },
  limited: { from: `${core}/limited/`, may: [ground, `${core}/limiter/`, storeContract] },
  'core/http': {
    from: `${core}/http/`,
    may: [
      ground,
      algorithmContract,
      storeContract,
      memoryStore,
      `${core}/limiter/`,
      `${core}/limited/`,
      npm('ipaddr\\.js', 'negotiator'),
    ],
  },
  express: adapter('express', npm('express', '@types/express')),
  koa: adapter('koa', npm('koa', '@types/koa')),
  fetch: adapter('fetch'),
  hono: adapter('hono', npm('hono'), '^hono/', '^@sluice/fetch/adapter$'),
  fastify: adapter('fastify', npm('fastify', 'fastify-plugin')),
  nestjs: adapter(
    'nestjs',
    npm('@nestjs/common', '@nestjs/core', '@nestjs/microservices', '@nestjs/websockets', 'rxjs'),
    '^(?:node:)?(?:async_hooks|events|http)$',
  ),
  sqlite: {
    from: 'packages/sqlite/src/',
    may: [...databaseNeeds, '^(?:node:)?timers/promises$'],
  },
  postgres: {
    from: 'packages/postgres/src/',
    may: [...databaseNeeds, '^(?:node:)?crypto$'],
  },
  client: adapter('client'),
  metrics: adapter('metrics', '^(?:node:)?diagnostics_channel$'),
  dashboard: adapter(
    'dashboard',
    '^(?:node:)?(?:crypto|diagnostics_channel|fs|fs/promises|http|path|timers/promises|url)$',
  ),
  sockets: adapter('sockets', '^(?:node:)?events$'),
  testing: {
    from: 'packages/testing/src/',
    may: [...databaseNeeds, '^(?:node:)?(?:assert|crypto|timers/promises)$'],
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
      '^@sluice/dashboard(?:/internal)?$',
      '^@sluice/rules(?:/check|/internal)?$',
      npm('commander', 'ioredis', 'yaml'),
      '^(?:node:)?(?:crypto|fs|fs/promises|module|path|process|stream|stream/consumers|timers/promises|url|util|zlib)$',
    ],
  },
  // Below the packages that it tests: of those it imports only types.
  'test kit': {
    from: 'packages/test-kit/src/',
    may: ['^(?!@sluice/|packages/)', '^@sluice/(?:core/database|sqlite)$'],
  },
  examples: {
    from: '^examples/([^/]+)/',
    own: '^examples/$1/',
    may: ['^(?!packages/|\\.\\./)', 'packages/[^/]+/(?:bundle|dist)/(?:simulate/)?index'],
  },
}

/** The folders of a package from the lowest up. A folder imports only lower ones; those of one line do not import each other. */
const floors = [
  [
    'packages/core/src',
    [['errors'], ['options'], ['algorithms'], ['stores'], ['limiter'], ['limited'], ['http']],
  ],
  ['packages/core/src/stores', [['memory', 'queue'], ['pipeline'], ['redis', 'database']]],
  [
    'packages/core/src/http',
    [['lists'], ['request'], ['keys'], ['response'], ['options'], ['guard']],
  ],
  [
    'packages/rules/src',
    [
      ['errors'],
      ['document'],
      ['match'],
      ['decide'],
      ['compile/limits'],
      ['compile'],
      ['check', 'loading'],
    ],
  ],
  ['packages/dashboard/src', [['collect'], ['data'], ['share'], ['keys'], ['http']]],
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

/** An algorithm that uses the steps of another one. */
function basedOn(name, other) {
  const own = `${core}/algorithms/${name}/`
  return {
    from: own,
    may: [ground, algorithmContract, `${core}/algorithms/${other}/(?!index\\.ts$)`],
  }
}

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
      from: { path: 'packages/(conformance|faults|benchmarks|test-kit)/src/' },
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
