// The path of one request through the code. `node .ci/main-path.mjs` serves an Express application with a limit in memory, or with `--redis` over Redis, or with
// `-- --hono` one of Hono. It sends a request, and lists the source files of which a function ran during that request. The set-up and the first request,
// which makes the policy, do not count.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire, SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { redisStore } from '../packages/core/bundle/index.js'
import { startRedis } from '../packages/test-kit/dist/redis/servers.js'
import { rateLimit } from '../packages/express/bundle/index.js'
import { rateLimit as honoLimit } from '../packages/hono/bundle/index.js'

const packages = new URL('../packages/', import.meta.url).href
const kind = ['redis', 'hono'].find((name) => process.argv.includes(`--${name}`)) ?? 'memory'
const redis = kind === 'redis' ? await startRedis() : undefined
const store = redis && { store: redisStore(redis.client(), { timeout: '10s' }) }
const options = { limit: 5, window: '1m', ...store }
const server = createServer(kind === 'hono' ? ofHono() : ofExpress()).listen(0, '127.0.0.1')
await once(server, 'listening')

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await visit()
// Each report resets the counts.
await session.post('Profiler.takePreciseCoverage')
const response = await visit()
const { result: scripts } = await session.post('Profiler.takePreciseCoverage')
server.close()
await redis?.stop()
if (response.status !== 200 || !response.headers.has('ratelimit')) {
  throw new Error(`the request was not limited, or not admitted: ${response.status}`)
}

const ran = new Map()
for (const { url, functions } of scripts.filter(isBundled)) {
  const sourceAt = sourcesOf(url)
  for (const { ranges } of functions.filter(hasRun)) {
    const file = sourceAt(ranges[0].startOffset)
    ran.set(file, (ran.get(file) ?? 0) + 1)
  }
}
const files = [...ran].map(([file, count]) => ({ file, lines: linesOf(file), count }))

for (const { file, lines, count } of files) row(lines, count, file)
row(sum('lines'), sum('count'), `in ${files.length} files`)
console.log('\nLines, functions that ran.')

function ofExpress() {
  const app = createRequire(`${packages}express/package.json`)('express')()
  app.use(rateLimit(options))
  return app.get('/', (_request, response) => response.send('hello'))
}

function ofHono() {
  const from = createRequire(`${packages}hono/package.json`)
  const { Hono } = from('hono')
  const { getRequestListener } = from('@hono/node-server')
  const app = new Hono().use(honoLimit(options)).get('/', (context) => context.text('hello'))
  return getRequestListener(app.fetch)
}

function visit() {
  return fetch(`http://127.0.0.1:${server.address().port}/`)
}

function hasRun({ ranges }) {
  return ranges[0].count > 0
}

function isBundled({ url }) {
  return url.startsWith(packages) && /^[^/]+\/bundle\//.test(url.slice(packages.length))
}

/** Finds the source file of an offset in a bundle. */
function sourcesOf(url) {
  const path = fileURLToPath(url)
  const text = readFileSync(path, 'utf8')
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  return function sourceAt(offset) {
    const before = text.slice(0, offset).split('\n')
    const { originalSource } = map.findEntry(before.length - 1, before.at(-1).length)
    return new URL(originalSource, url).href.slice(packages.length)
  }
}

function linesOf(file) {
  return readFileSync(fileURLToPath(packages + file), 'utf8').split('\n').length - 1
}

function sum(column) {
  return files.reduce((total, file) => total + file[column], 0)
}

function row(lines, count, file) {
  console.log(`${String(lines).padStart(6)}${String(count).padStart(6)}  ${file}`)
}
