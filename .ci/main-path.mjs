// The path of one request through the code. `npm run main-path` serves an Express application with a limit in memory, sends it a request, and
// lists the source files of which a function ran during that request. The set-up and the first request, which makes the policy, do not count.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rateLimit } from '../packages/express/dist/index.js'

const packages = new URL('../packages/', import.meta.url).href
const express = createRequire(`${packages}express/package.json`)('express')

const app = express()
app.use(rateLimit({ limit: 5, window: '1m' }))
app.get('/', (_request, response) => response.send('hello'))
const server = app.listen(0, '127.0.0.1')
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
if (response.status !== 200 || !response.headers.has('ratelimit')) {
  throw new Error(`the request was not limited, or not admitted: ${response.status}`)
}

const files = scripts
  .filter(
    ({ url }) => url.startsWith(packages) && /^[^/]+\/dist\//.test(url.slice(packages.length)),
  )
  .map(({ url, functions }) => ({ url, ran: functions.filter(hasRun).length }))
  .filter(({ ran }) => ran > 0)
  .map(({ url, ran }) => sourceOf(url, ran))

for (const { file, lines, code, ran } of files) row(lines, code, ran, file)
row(sum('lines'), sum('code'), sum('ran'), `in ${files.length} files`)
console.log('\nLines, lines without blank ones and comments, functions that ran.')

function visit() {
  return fetch(`http://127.0.0.1:${server.address().port}/`)
}

function hasRun({ ranges }) {
  return ranges[0].count > 0
}

function sourceOf(url, ran) {
  const file = url.slice(packages.length).replace('/dist/', '/src/').replace(/\.js$/, '.ts')
  const lines = readFileSync(fileURLToPath(packages + file), 'utf8')
    .trimEnd()
    .split('\n')
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line))
  return { file, lines: lines.length, code: code.length, ran }
}

function sum(column) {
  return files.reduce((total, file) => total + file[column], 0)
}

function row(...cells) {
  const file = cells.pop()
  console.log(`${cells.map((cell) => String(cell).padStart(6)).join('')}  ${file}`)
}
