import { startPostgres, type PostgresServer } from '@sluice/test-kit/postgres'
import { postgresSchema, postgresStore } from '@sluice/postgres'
import pg from 'pg'
import { startProxy } from '../proxy.js'
import type { Row, Scene } from '../scene.js'

/** Faults of a PostgreSQL, below an application with a pool of `pg`. */
export const postgresRows: readonly Row[] = Object.entries({
  'crashed, restarted empty': crashed,
  'shut down, restarted': shutDown,
  'hung for 1.5 s': hung,
  'turned into a read-only server': readOnly,
  'a locked table': locked,
  'a full pool': full,
  'failed over to its standby': (scene: Scene) => failedOver(scene, false),
  'failed over to its standby, with a logged table': (scene: Scene) => failedOver(scene, true),
  'a rolling deploy that changes the algorithm': deployed,
}).map(([fault, act]) => ({ fault, client: 'pg', play: act }))

const beforeMs = 500
const outageMs = 1300
const backMs = 1500

/** How long the client may read replies that the server sent before the fault. */
const lastRepliesMs = 50

/** A pool connects again at its next call. A server that starts again recovers first. */
const reconnectMs = 500

async function crashed(scene: Scene): Promise<void> {
  const { server, admin } = await started(scene)
  await admin.end()
  scene.now('crashing', ['store', 'fallback'])
  await server.crash()
  scene.now('unavailable', 'fallback', lastRepliesMs)
  await scene.pass(outageMs)
  scene.emptied()
  await server.restart()
  scene.back(reconnectMs)
  await scene.pass(backMs)
  await count(scene, server)
}

async function shutDown(scene: Scene): Promise<void> {
  const { server, admin } = await started(scene)
  await admin.end()
  scene.now('shutting down', ['store', 'fallback'])
  scene.repliesLost()
  await server.shutDown()
  scene.now('unavailable', 'fallback', lastRepliesMs)
  await scene.pass(outageMs)
  await server.restart()
  scene.back(reconnectMs)
  await scene.pass(backMs)
  await count(scene, server)
}

async function hung(scene: Scene): Promise<void> {
  const { server } = await started(scene)
  server.hang()
  scene.now('hung', 'fallback', lastRepliesMs)
  await scene.pass(1500)
  scene.back()
  server.resume()
  await scene.pass(backMs)
  await count(scene, server)
}

/**
 * The primary is killed, its standby is promoted, and the address of the pool leads to it. An unlogged table is then empty. A logged one lacks at most the last
 * writes, because the replication is asynchronous.
 */
async function failedOver(scene: Scene, logged: boolean): Promise<void> {
  const { server: primary, admin } = await startServer(scene, logged)
  const standby = scene.own(await startPostgres({ standbyOf: primary }))
  const proxy = scene.own(await startProxy(primary.port))
  await scene.begin({ kind: 'pg', ports: [proxy.port] })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  await admin.end()
  if (logged) scene.mastersLost()
  scene.now('crashing', ['store', 'fallback'])
  await primary.crash()
  scene.now('no primary', 'fallback', lastRepliesMs)
  await scene.pass(outageMs)
  const pool = new pg.Pool({ connectionString: standby.url, max: 1 })
  await pool.query('select pg_promote()')
  if (!logged) scene.emptied()
  proxy.redirect(standby.port)
  scene.back(reconnectMs)
  await scene.pass(backMs)
  await scene.count(postgresStore(pool, { timeout: '10s' }))
  await pool.end()
}

/** Half of the processes are of a new version of the application, whose limits have another algorithm. Each version allows exactly its own limit. */
async function deployed(scene: Scene): Promise<void> {
  const { server } = await startServer(scene)
  const versions = ['fixedWindow', 'slidingWindow', 'fixedWindow', 'slidingWindow'] as const
  await scene.beginVersions({ kind: 'pg', ports: [server.port] }, versions)
  scene.now('together', 'store')
  await scene.pass(3000)
  await count(scene, server)
}

/** It still knows which keys are over their limit, so it denies them. */
async function readOnly(scene: Scene): Promise<void> {
  const { server, admin } = await started(scene)
  scene.now('read-only', ['store', 'fallback'])
  await admin.query('alter system set default_transaction_read_only = on')
  await admin.query('select pg_reload_conf()')
  await scene.pass(outageMs)
  await admin.query('set default_transaction_read_only = off')
  await admin.query('alter system reset default_transaction_read_only')
  await admin.query('select pg_reload_conf()')
  scene.back()
  await scene.pass(backMs)
  await count(scene, server)
}

async function locked(scene: Scene): Promise<void> {
  const { server, admin } = await started(scene)
  await admin.query('begin; lock table sluice in access exclusive mode')
  scene.now('locked', 'fallback', lastRepliesMs)
  await scene.pass(outageMs)
  scene.back()
  await admin.query('rollback')
  await scene.pass(backMs)
  await count(scene, server)
}

async function full(scene: Scene): Promise<void> {
  const { server } = await started(scene)
  scene.now('taking connections', ['store', 'fallback'])
  await scene.tell({ do: 'take connections' })
  scene.now('full', 'fallback', lastRepliesMs)
  await scene.pass(outageMs)
  scene.back()
  await scene.tell({ do: 'release connections' })
  await scene.pass(backMs)
  await count(scene, server)
}

interface Started {
  readonly server: PostgresServer
  readonly admin: pg.Client
}

/** Starts a server with the table. */
async function startServer(scene: Scene, logged = false): Promise<Started> {
  const server = scene.own(await startPostgres())
  const admin = new pg.Client({ connectionString: server.url })
  // A row that stops the server ends the connection.
  admin.on('error', () => {})
  await admin.connect()
  await admin.query(postgresSchema({ logged }))
  return { server, admin }
}

/** Starts a server, and the application on it. */
async function started(scene: Scene): Promise<Started> {
  const { server, admin } = await startServer(scene)
  await scene.begin({ kind: 'pg', ports: [server.port] })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  return { server, admin }
}

async function count(scene: Scene, { url }: PostgresServer): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  await scene.count(postgresStore(pool, { timeout: '10s' }))
  await pool.end()
}
