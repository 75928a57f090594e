import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../redis/server.js'
import { accepts, otherUser, type PostgresServer } from './server.js'

/** A pgbouncer on a free port of the loopback, in front of a server. */
export interface Pgbouncer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the `PGBOUNCER` of the environment, or that of the PATH. Its clients share two connections to the server. */
export async function startPgbouncer(
  server: Pick<PostgresServer, 'port'>,
  mode: 'session' | 'transaction' | 'statement',
): Promise<Pgbouncer> {
  const { PGBOUNCER = 'pgbouncer' } = process.env
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'))
  const settings = join(folder, 'pgbouncer.ini')
  // It refuses to run as root.
  const user = otherUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  writeFileSync(
    settings,
    `[databases]
postgres = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 2
`,
  )
  const child = spawn(PGBOUNCER, [settings], { ...user, stdio: 'ignore', cwd: folder })
  const exited = once(child, 'exit')
  if (!(await accepts(port))) throw new Error(`${PGBOUNCER} did not start on port ${port}`)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
