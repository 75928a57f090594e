import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { startPostgres } from '../../packages/test-kit/dist/postgres/index.js'
import { run } from '../command.mjs'
import { connectionsAndEvents } from '../smoke/socket-io.mjs'
import { compile, createFolder, createProject, packagesOf } from './project.mjs'
import { withAllNeeded } from './tarballs.mjs'
import { visit } from './visit.mjs'
import { withRequire } from './with-require.mjs'

const nest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}`)

/** The dependencies and the rest of the application of a reader of each package's README, and the server that it needs. */
const readers = {
  core: { has: [] },
  postgres: {
    has: ['express', 'pg'],
    rest: '',
    server: async () => {
      const { url, stop } = await startPostgres()
      return { env: { DATABASE_URL: url }, stop }
    },
  },
  testing: { has: [] },
  express: {
    has: ['express'],
    rest: `app.get('/', (request, response) => response.send('Hello.'))
      app.listen(3000)`,
  },
  fetch: { has: ['@hono/node-server'], rest: '' },
  hono: { has: ['@hono/node-server', 'hono'], rest: '' },
  fastify: {
    has: ['fastify'],
    rest: `app.get('/', () => 'Hello.')
      await app.listen({ port: 3000 })`,
  },
  rules: {
    has: ['express'],
    rest: `app.get('/', (request, response) => response.send('Hello.'))
      app.listen(3000)`,
  },
  koa: {
    has: ['koa'],
    rest: `app.use((ctx) => { ctx.body = 'Hello.' })
      app.listen(3000)`,
  },
  client: {
    has: [],
    rest: '',
    server: async () => {
      const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const stop = () => void server.close()
      return { env: { API_URL: `http://127.0.0.1:${server.address().port}/` }, stop }
    },
    check: async ({ end }) => {
      await end()
      return 'runs'
    },
  },
  metrics: { has: ['@sluice/express', 'express', 'prom-client'], rest: '' },
  dashboard: {
    has: ['express'],
    rest: '',
    check: async ({ ask }) => {
      const headers = { authorization: 'Bearer secret' }
      assert.equal((await ask('/limits/api/view')).status, 403)
      assert.equal(await (await ask('/')).text(), 'Hello')
      const { limiters } = await (await ask('/limits/api/view', { headers })).json()
      assert.equal(limiters[0].top.requests.keys[0].count, 1)
      return 'shows its request'
    },
  },
  sockets: {
    has: ['socket.io'],
    rest: '',
    check: ({ ask }) => connectionsAndEvents(ask, { connections: 5, events: 20 }),
  },
  sqlite: {
    has: ['@sluice/express', 'express'],
    rest: '',
    module: 'node:sqlite',
    leaves: /^limits\.db/,
  },
  nestjs: {
    has: [...nest, 'reflect-metadata', 'rxjs', '@types/node'],
    rest: `import * as common from '@nestjs/common'
      import { NestFactory } from '@nestjs/core'
      @common.Controller() class Hello { @common.Get() hello() { return 'Hello.' } }
      @common.Module({ imports: [AppModule], controllers: [Hello] }) class Whole {}
      const app = await NestFactory.create(Whole, { logger: false })
      await app.listen(3000)`,
  },
}

/**
 * Follows the quick start of each package's README: as it is, and then with `require`. All of them share one installation, so a program may import only what
 * its README installs or its reader has.
 */
export async function* quickStarts(packages, folder) {
  // The README of a command has no program: see command-line.mjs.
  const all = packages
    .filter(({ manifest }) => manifest.bin === undefined)
    .map((one) => {
      const reader = readers[one.name]
      assert.ok(reader, `quick-starts.mjs has no application for the README of ${one.name}`)
      return { one, reader, page: quickStartOf(join(one.source, 'README.md')) }
    })
  const needed = all.flatMap(({ reader, page }) => [...page.installs, ...reader.has])
  const project = createProject(join(folder, 'quick-starts'), packages, {
    dependencies: withAllNeeded(needed, packages),
    files: {},
  })
  for (const { one, reader, page } of all) {
    const { module } = reader
    if (module !== undefined && process.getBuiltinModule(module) === undefined) {
      yield `${one.name}: not started, because this Node has no ${module}. CI starts it on Node 22 and later`
      continue
    }
    yield `${one.name}: ${await follow(one.manifest, reader, page, project)}`
  }
}

async function follow(manifest, reader, { installs, language, code, rules }, project) {
  const { has, rest, leaves } = reader
  const program = rest === undefined || code.includes('.listen(') ? code : `${code}\n${rest}\n`
  assert.ok(installs.includes(manifest.name), `the README of ${manifest.name} installs ${installs}`)
  const absent = packagesOf(code).filter((name) => ![...installs, ...has].includes(name))
  assert.deepEqual(absent, [], `the README of ${manifest.name} does not install these`)
  const folder = join(project, manifest.name.slice('@sluice/'.length))
  createFolder(folder, {
    [`server.${language}`]: program,
    ...(rules === undefined ? {} : { 'rules.yaml': rules }),
  })
  if (language === 'ts') {
    compile(folder, 'server.ts', '--experimentalDecorators', '--emitDecoratorMetadata')
  }
  const imported = readFileSync(join(folder, 'server.js'), 'utf8')
  writeFileSync(join(folder, 'server.cjs'), withRequire(imported))
  const seen = []
  for (const file of ['server.js', 'server.cjs']) {
    // The second program must not find the counts of the first.
    for (const left of readdirSync(folder)) if (leaves?.test(left)) rmSync(join(folder, left))
    if (rest === undefined) run(process.execPath, [file], { cwd: folder })
    seen.push(rest === undefined ? 'runs' : await visitAs(reader, folder, file))
  }
  const [byImport, byRequire] = seen
  return `by import: ${byImport}; by require: ${byRequire}`
}

/** Visits an application, beside the server that it needs. */
async function visitAs({ server, check }, folder, file) {
  const running = await server?.()
  try {
    return await visit(folder, file, { env: running?.env, check })
  } finally {
    await running?.stop()
  }
}

/** The first command, the first program and the first document of rules of a page. */
function quickStartOf(page) {
  const text = readFileSync(page, 'utf8')
  const [, installs] = /^npm install (?:--save-dev )?(.*)$/m.exec(text) ?? []
  const [, language, code] = /^```([jt]s)\n([\s\S]*?)^```$/m.exec(text) ?? []
  const [, rules] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? []
  assert.ok(installs && code, `${page} does not begin with an installation and a program`)
  return { installs: installs.split(' '), language, code, rules }
}
