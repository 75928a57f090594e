// Proves the rules of .oxlintrc.json about who may import whom: lints, by the same file, small modules that import what they may
// and what they must not. Every forbidden import has to be found, in whatever form it is written, and no permitted one.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './workspace.mjs'

const everywhere = ['node:fs', 'fs', 'express', 'koa', 'fastify', '@nestjs/common', 'lodash']

const probes = {
  'examples/probe/server.js': {
    may: [
      'express',
      'ioredis',
      'node:http',
      '@sluice/core',
      '@sluice/core/http',
      '@sluice/express',
    ],
    mustNot: [
      '../../packages/core/src/index.js',
      '../other/server.js',
      '@sluice/core/dist/limiter.js',
      '@sluice/express/src/index.js',
    ],
  },
  'packages/express/src/probe.ts': {
    may: ['express', '@sluice/core', '@sluice/core/http', './other.js'],
    mustNot: [
      ...everywhere.filter((name) => name !== 'express'),
      'ioredis',
      '@sluice/koa',
      '@sluice/core/dist/limiter.js',
      '../../core/src/limiter.js',
      '../test/probe.js',
    ],
  },
  'packages/fastify/src/probe.ts': {
    may: ['fastify', 'fastify-plugin', '@sluice/core', '@sluice/core/http', './other.js'],
    mustNot: [
      ...everywhere.filter((name) => name !== 'fastify'),
      'fastify/lib/symbols.js',
      '@fastify/error',
      '@sluice/express',
      '@sluice/core/dist/limiter.js',
      '../../core/src/limiter.js',
      '../test/probe.js',
    ],
  },
  'packages/nestjs/src/probe.ts': {
    may: [
      '@nestjs/common',
      '@nestjs/core',
      'rxjs',
      'node:http',
      '@sluice/core',
      '@sluice/core/http',
      './other.js',
    ],
    mustNot: [
      ...everywhere.filter((name) => name !== '@nestjs/common'),
      '@nestjs/platform-express',
      '@nestjs/common/constants.js',
      'rxjs/operators',
      '@sluice/express',
      '@sluice/core/dist/limiter.js',
      '../../core/src/limiter.js',
      '../test/probe.js',
    ],
  },
  'packages/koa/src/probe.ts': {
    may: ['koa', '@sluice/core', '@sluice/core/http', './other.js'],
    mustNot: [...everywhere.filter((name) => name !== 'koa'), '@koa/router', '@sluice/express'],
  },
  // An adapter that nobody has entered yet: its framework has to be named first.
  'packages/unheard-of/src/probe.ts': {
    may: ['@sluice/core', '@sluice/core/http', './other.js', './folder/other.js'],
    mustNot: [...everywhere, '@sluice/express', '../../express/src/index.js'],
  },
  'packages/conformance/src/probe.ts': {
    may: ['@sluice/core', '@sluice/express', 'fast-check', 'ioredis', 'node:net', './other.js'],
    mustNot: ['../../core/src/limiter.js', '../../../packages/core/src/limiter.js'],
  },
  'packages/benchmarks/src/sections/probe.ts': {
    may: ['@sluice/core', '@sluice/conformance', 'ioredis', 'node:fs/promises', '../section.js'],
    mustNot: ['../../../core/src/limiter.js', '../../../conformance/src/redis-server.js'],
  },
  'packages/core/src/http/probe.ts': {
    may: [
      './other.js',
      '../limiter.js',
      '../decision.js',
      '../algorithms/sliding-window/index.js',
      '../stores/memory/index.js',
      'ipaddr.js',
      'negotiator',
    ],
    mustNot: [
      ...everywhere.filter((name) => name !== 'node:fs'),
      '../algorithms/gcra/step.js',
      '../algorithms/registry.js',
      '../stores/redis/script.js',
      '../stores/memory/table.js',
      '../../../express/src/index.js',
      '@sluice/express',
    ],
  },
  'packages/core/src/limiter/limiter.ts': {
    may: ['./entries.js', './algorithms/registry.js', './stores/memory/index.js'],
    mustNot: [...everywhere, './http/index.js', '../../express/src/index.js', '@sluice/express'],
  },
  'packages/core/src/policy.ts': {
    may: ['./errors.js', './algorithms/algorithm.js', 'ms'],
    mustNot: [
      ...everywhere,
      './limiter.js',
      './entries.js',
      './algorithms/registry.js',
      './algorithms/gcra/index.js',
      './stores/store.js',
      './http/index.js',
    ],
  },
  'packages/core/src/options/probe.ts': {
    may: ['./durations.js', '../errors.js', '../option-readers.js', 'ms'],
    mustNot: [
      ...everywhere,
      '../limiter.js',
      '../entries.js',
      '../algorithms/registry.js',
      '../stores/store.js',
      '../http/index.js',
    ],
  },
  'packages/core/src/limiter/decision.ts': {
    may: ['./algorithms/algorithm.js', './algorithms/kind.js', './stores/store.js'],
    mustNot: [
      ...everywhere,
      './limiter.js',
      './algorithms/registry.js',
      './algorithms/gcra/step.js',
      './stores/memory/index.js',
      './http/index.js',
    ],
  },
  'packages/core/src/algorithms/leaky-queue/probe.ts': {
    may: [
      './step.js',
      '../algorithm.js',
      '../gcra/step.js',
      '../gcra/script.js',
      '../../policy.js',
    ],
    mustNot: [...everywhere, '../fixed-window/step.js', '../registry.js', '../../stores/store.js'],
  },
  'packages/core/src/algorithms/calendar-window/calendar.ts': {
    may: ['temporal-polyfill'],
    mustNot: [...everywhere, './step.js', '../../policy.js', '../../stores/store.js'],
  },
  'packages/core/src/stores/memory/probe.ts': {
    may: ['./table.js', '../store.js', '../../algorithms/algorithm.js', '../../block.js'],
    mustNot: [
      ...everywhere,
      'cluster-key-slot',
      '../redis/index.js',
      '../../algorithms/gcra/step.js',
      '../../decision.js',
      '../../limiter.js',
    ],
  },
  'packages/core/src/algorithms/registry.ts': {
    may: ['./algorithm.js', './gcra/index.js', '../policy.js', '../errors.js'],
    mustNot: [...everywhere, '../limiter.js', '../stores/store.js', '../http/index.js'],
  },
  'packages/core/src/algorithms/algorithm.ts': {
    may: ['../policy.js', '../decision.js', './algorithm.js'],
    mustNot: [
      ...everywhere,
      './gcra/step.js',
      './registry.js',
      '../stores/store.js',
      '../limiter.js',
    ],
  },
  'packages/core/src/algorithms/gcra/probe.ts': {
    may: [
      './step.js',
      '../algorithm.js',
      '../kind.js',
      '../../policy.js',
      '../../decision.js',
      '../../errors.js',
    ],
    mustNot: [
      ...everywhere,
      '../fixed-window/step.js',
      '../registry.js',
      '../../stores/store.js',
      '../../stores/memory/index.js',
      '../../limiter.js',
      '../../keys.js',
      '../../http/index.js',
      './../../stores/store.js',
    ],
  },
  'packages/core/src/stores/store.ts': {
    may: ['../algorithms/algorithm.js', '../errors.js'],
    mustNot: [
      ...everywhere,
      './redis/index.js',
      '../algorithms/registry.js',
      '../algorithms/gcra/index.js',
      '../limiter.js',
      '../http/index.js',
    ],
  },
  'packages/core/src/stores/redis/probe.ts': {
    may: [
      './wire.js',
      '../store.js',
      '../../algorithms/algorithm.js',
      '../../keys.js',
      '../../resilience/deadline.js',
      'cluster-key-slot',
    ],
    mustNot: [
      ...everywhere,
      'ioredis',
      '../memory/index.js',
      '../../algorithms/registry.js',
      '../../algorithms/gcra/step.js',
      '../../limiter.js',
      '../../entries.js',
      '../../http/index.js',
    ],
  },
  'packages/core/src/resilience/probe.ts': {
    may: ['../stores/store.js', '../stores/memory/index.js', '../errors.js'],
    mustNot: [
      ...everywhere,
      '../stores/redis/index.js',
      '../algorithms/gcra/index.js',
      '../algorithms/registry.js',
      '../limiter.js',
      '../http/index.js',
    ],
  },
}

const forms = [
  (name, i) => `import { thing${i} } from '${name}'`,
  (name) => `import '${name}'`,
  (name) => `export * from '${name}'`,
  (name, i) => `export const later${i} = import('${name}')`,
]
const typeForms = [
  (name, i) => `import type { Thing${i} } from '${name}'`,
  (name, i) => `export type { Thing as Thing${i} } from '${name}'`,
  (name, i) => `export type Type${i} = import('${name}').Thing`,
]

const folder = mkdtempSync(join(tmpdir(), 'sluice-boundaries-'))
try {
  check()
} finally {
  rmSync(folder, { recursive: true })
}

function check() {
  // The folder has the repository's shape, so the same entries match; it has no types to be aware of.
  const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8')
  writeFileSync(
    join(folder, '.oxlintrc.json'),
    config.replace('"typeAware": true', '"typeAware": false'),
  )
  const imports = Object.entries(probes).flatMap(([file, probe]) => writeProbe(file, probe))
  const refused = lint()

  const wrong = imports.filter(({ place, forbidden }) => forbidden !== refused.has(place))
  for (const { place, code, forbidden } of wrong) {
    console.error(`${forbidden ? 'let through' : 'wrongly refused'}: ${place}: ${code}`)
  }
  if (wrong.length > 0) process.exitCode = 1
  else
    console.log(
      `Who may import whom: ${refused.size} forbidden imports out of ${imports.length} refused.`,
    )
}

/** Writes one import a line, and answers with what should become of each. */
function writeProbe(file, { may, mustNot }) {
  const every = file.endsWith('.ts') ? [...forms, ...typeForms] : forms
  const imports = [
    ...may.map((name) => ({ name, form: forms[0], forbidden: false })),
    ...mustNot.flatMap((name) => every.map((form) => ({ name, form, forbidden: true }))),
  ].map(({ name, form, forbidden }, i) => ({
    place: `${file}:${i + 1}`,
    code: form(name, i),
    forbidden,
  }))
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  writeFileSync(join(folder, file), imports.map(({ code }) => `${code}\n`).join(''))
  return imports
}

/** The places that the rules about imports complain of. */
function lint() {
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint')
  const { stdout, stderr } = spawnSync(oxlint, ['--format=json', '.'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (!stdout.startsWith('{')) throw new Error(`oxlint said: ${stdout}${stderr}`)
  const rules = new Set(['eslint(no-restricted-imports)', 'typescript(consistent-type-imports)'])
  return new Set(
    JSON.parse(stdout)
      .diagnostics.filter(({ code }) => rules.has(code))
      .map(({ filename, labels }) => `${filename}:${labels[0].span.line}`),
  )
}
