// Two processes that count together in a file of SQLite: of 20 requests, spread over both, 10 are allowed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// #region cluster
import cluster from 'node:cluster'
import { rateLimit } from '@sluice/express'
import { sqliteStore } from '@sluice/sqlite'
import Database from 'better-sqlite3'
import express from 'express'
// #endregion
import { tenOfTwenty } from './check/cluster.js'

process.env.PORT ??= '0' // a free port, the same for all processes
// The other processes start in the folder of the first.
if (cluster.isPrimary) process.chdir(mkdtempSync(join(tmpdir(), 'processes-')))

// #region cluster
const processes = 2

if (cluster.isPrimary) {
  for (let i = 0; i < processes; i++) cluster.fork()
} else {
  const app = express()
  const store = sqliteStore(new Database('limits.db'))
  app.use(rateLimit({ name: 'api', limit: 10, window: '1m', store, localShare: 1 / processes }))
  app.get('/', (_request, response) => response.send(`Hello from process ${process.pid}.\n`))
  app.listen(Number(process.env.PORT ?? 3000))
}
// #endregion

await tenOfTwenty(processes)
if (cluster.isPrimary) rmSync(process.cwd(), { recursive: true })
