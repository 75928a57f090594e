import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { run } from '../command.mjs'
import { root } from '../workspace.mjs'
import { createProject } from './project.mjs'

/** The workspace does not use them, and installs none of them. */
const versions = {
  webpack: '5.112.2',
  jest: '30.5.2',
  '@babel/plugin-transform-modules-commonjs': '7.29.14',
}

/**
 * One core in the output of webpack, in tests with Jest, of ES modules and, with the configuration on the page about tests, of CommonJS, and in tests with
 * Vitest, whether Node loads the packages or Vitest transforms them.
 */
export async function* tools(packages, folder) {
  const project = createProject(join(folder, 'tools'), packages, {
    dependencies: [
      '@sluice/core',
      '@sluice/express',
      '@sluice/rules',
      '@sluice/testing',
      'express',
      'vitest',
    ],
    versions,
    files: {
      'build.mjs': build,
      'imported.mjs': imported,
      'required.cjs': required,
      'express.cjs': `module.exports = require('@sluice/express')`,
      'both.mjs': both,
      'jest.config.js': readFileSync(join(root, 'examples', 'docs', 'jest.config.js'), 'utf8'),
      'esm.config.js': 'export default { transform: {}, testMatch: ["**/*.test.mjs"] }',
      'modules.test.mjs': `import core from './imported.mjs'\n${testOf('import')}`,
      'vitest.config.mjs': vitestConfig,
      'modules.vitest.mjs': `import core from './imported.mjs'\n${testOf('import')}`,
      'kits.vitest.mjs': `import { createLimiter } from '@sluice/core'\nimport * as kits from '@sluice/testing'\n${kits}`,
      'common.test.cjs': `const core = require('./required.cjs')\n${testOf('require')}`,
      'kits.test.mjs': `import { createLimiter } from '@sluice/core'\nimport * as kits from '@sluice/testing'\n${kits}`,
      'kits.test.cjs': `const { createLimiter } = require('@sluice/core')\nconst kits = require('@sluice/testing')\n${kits}`,
    },
  })
  run(process.execPath, ['build.mjs'], { cwd: project })
  for (const file of ['imported.mjs', 'required.cjs', 'both.mjs']) {
    assert.equal(run(process.execPath, [join('built', file)], { cwd: project }), 'one\n')
  }
  yield 'webpack: one core by import, by require and by both'

  const jest = (options, ...args) =>
    run(process.execPath, [...options, 'node_modules/jest/bin/jest.js', ...args], { cwd: project })
  jest(['--experimental-vm-modules'], '--config', 'esm.config.js')
  jest([], '--config', 'jest.config.js', 'common.test.cjs', 'kits.test.cjs')
  yield 'Jest: one core by import and by require, and the clock, the store and the tests of @sluice/testing'

  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  for (const INLINE of ['', '@sluice']) {
    run(process.execPath, [vitest, 'run'], { cwd: project, env: { ...process.env, INLINE } })
  }
  yield 'Vitest: one core, loaded by Node and transformed by Vitest, and the tests of @sluice/testing'
}

const vitestConfig = `
  const { INLINE } = process.env
  const inline = INLINE === '' ? [] : [new RegExp(INLINE)]
  export default { test: { include: ['*.vitest.mjs'], globals: true, server: { deps: { inline } } } }
`

const build = `
  import webpack from 'webpack'
  const files = { 'imported.mjs': 'module', 'required.cjs': 'commonjs', 'both.mjs': 'module' }
  for (const [filename, type] of Object.entries(files)) {
    const compiler = webpack({
      mode: 'production',
      target: 'node20',
      optimization: { minimize: false },
      entry: './' + filename,
      experiments: { outputModule: type === 'module' },
      externals: { express: type + ' express' },
      output: { path: import.meta.dirname + '/built', filename, library: { type } },
    })
    compiler.run((error, stats) => {
      if (error !== null) throw error
      if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString())
    })
  }
`

/** Prints and exports whether there is one core: a store, counts and errors of one package are those of the other. */
const check = `
  function coresIn(core, express) {
    const store = core.memoryStore()
    const of = ({ createLimiter, fixedWindow }) =>
      createLimiter({ name: 'api', policies: fixedWindow({ limit: 1, window: '1m' }), store })
    const answers = [of(core).consume('a').allowed, of(express).consume('a').allowed]
    const isOne = express.SluiceError === core.SluiceError && express.createLimiter === core.createLimiter
    return isOne && answers.join() === 'true,false' ? 'one' : 'not one'
  }
`

const imported = `
  import * as core from '@sluice/core'
  import * as express from '@sluice/express'
  import * as rules from '@sluice/rules'
  ${check}
  const cores = typeof rules.loadRules === 'function' ? coresIn(core, express) : 'no rules'
  console.log(cores)
  export default cores
`

// Jest cannot translate `import.meta`, which the rules contain.
const required = `
  const core = require('@sluice/core')
  const express = require('@sluice/express')
  ${check}
  const cores = coresIn(core, express)
  console.log(cores)
  module.exports = cores
`

const both = `
  import * as core from '@sluice/core'
  import express from './express.cjs'
  ${check}
  console.log(coresIn(core, express))
`

const kits = `
  test('testClock moves a limiter', async () => {
    const clock = kits.testClock()
    const limiter = createLimiter({ name: 'clock', limit: 1, window: '1h', clock })
    const answers = [await limiter.consume('ada'), await limiter.consume('ada')]
    clock.advance('1h')
    answers.push(await limiter.consume('ada'))
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, false, true])
  })

  test('testStore fails and recovers', async () => {
    const store = kits.testStore()
    const limiter = createLimiter({ name: 'store', limit: 1, window: '1h', store, onStoreError: 'deny' })
    const sources = [(await limiter.consume('ada')).source]
    store.fail()
    sources.push((await limiter.consume('bob')).source)
    store.recover()
    sources.push((await limiter.consume('bob')).source)
    expect(sources).toEqual(['store', 'closed', 'store'])
  })

  const rows = new Map()
  let version = 0
  const database = {
    name: 'map',
    load: async (keys) => ({ now: Date.now(), rows: keys.map((key) => rows.get(key)) }),
    async save(groups, { from, until }) {
      const now = Date.now()
      const isCurrent = (change) => {
        const row = rows.get(change.key)
        return row?.version === change.version || (change.version === undefined && row.endsAt <= now)
      }
      const write = ({ key, bytes, endsAt }) => {
        if (bytes === undefined) rows.delete(key)
        else rows.set(key, { version: ++version, bytes, endsAt })
        return version
      }
      const saved = groups.map((changes) =>
        from <= now && now <= until && changes.every(isCurrent) ? changes.map(write) : undefined,
      )
      return { now, groups: saved }
    },
  }
  kits.describeDatabase('a map', () => database, { describe, it })
`

function testOf(form) {
  return `test('one core by ${form}', () => expect(core).toBe('one'))`
}
