import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { build as viteBuild } from 'vite'
import { run } from '../command.mjs'
import { createProject } from './project.mjs'

/** However a program loads the packages, it contains one core: with two, an application would have two sets of errors, stores and registered names. */
export async function* copies(packages, folder) {
  const project = createProject(join(folder, 'copies'), packages, {
    dependencies: ['@sluice/core', '@sluice/express', 'express'],
    files: {
      'program.mjs': program,
      'mixed.mjs': mixed,
      'plain-data.mjs': plainData,
      'database.mjs': database,
    },
  })
  const one = 'allowed, denied; one core with SluiceError\n'
  const output = (file) => run(process.execPath, [file], { cwd: project })
  assert.equal(output('program.mjs'), one)
  assert.equal(output('mixed.mjs'), one)
  assert.equal(output('database.mjs'), 'true\n')

  const text = await bundled(project, 'program.mjs')
  writeFileSync(join(project, 'esbuild.mjs'), text)
  // A bundler may number the names that it declares twice.
  const numbered = (file) => output(file).replace(/SluiceError\d+/, 'SluiceError')
  assert.equal(numbered('esbuild.mjs'), one)
  await viteBuild({
    root: project,
    logLevel: 'error',
    ssr: { noExternal: /^@sluice\// },
    build: {
      ssr: 'program.mjs',
      outDir: project,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'rollup.mjs' } },
    },
  })
  assert.equal(numbered('rollup.mjs'), one)
  yield 'copies: one core by import, by require and by both, and bundled with esbuild and Rollup'

  writeFileSync(join(project, 'plain-data-bundled.mjs'), await bundled(project, 'plain-data.mjs'))
  assert.equal(output('plain-data.mjs'), 'true\n')
  assert.equal(output('plain-data-bundled.mjs'), 'SLUICE_ALGORITHM_MISSING\n')
  yield 'copies: a bundle contains the algorithms whose builders the program calls'
}

async function bundled(project, file) {
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['express'],
    write: false,
  })
  return outputFiles[0].text
}

const check = `
  const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 1, window: '1m' }), store: memoryStore() })
  const answers = [limiter.consume('a'), limiter.consume('a')].map(({ allowed }) => (allowed ? 'allowed' : 'denied'))
  const isOne = express.SluiceError === SluiceError && express.createLimiter === createLimiter
  console.log(answers.join(', ') + '; ' + (isOne ? 'one core' : 'two cores') + ' with ' + SluiceError.name)
`

const program = `
  import { createLimiter, fixedWindow, memoryStore, SluiceError } from '@sluice/core'
  import * as express from '@sluice/express'
  ${check}
`

const mixed = `
  import { createRequire } from 'node:module'
  import { createLimiter, fixedWindow, memoryStore, SluiceError } from '@sluice/core'
  const express = createRequire(import.meta.url)('@sluice/express')
  ${check}
`

/** The store of databases is in a file of its own. Its errors are those of the core. */
const database = `
  import { SluiceError } from '@sluice/core'
  import { databaseStore } from '@sluice/core/database'
  try {
    databaseStore({}, { unknown: true })
  } catch (error) {
    console.log(error.constructor === SluiceError)
  }
`

const plainData = `
  import { createLimiter, fixedWindow } from '@sluice/core'
  fixedWindow({ limit: 1, window: '1m' })
  try {
    const policies = { kind: 'gcra', limit: 1, window: '1m' }
    console.log(createLimiter({ name: 'api', policies }).consume('a').allowed)
  } catch (error) {
    console.log(error.code)
  }
`
