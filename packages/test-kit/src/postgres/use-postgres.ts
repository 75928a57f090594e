import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type PostgresServer, type PostgresSettings } from './server.js'

/** Starts a PostgreSQL before the tests of a file, and stops it after them. */
export function usePostgres(settings?: PostgresSettings): Omit<PostgresServer, 'stop'> {
  let started: PostgresServer | undefined
  beforeAll(async () => {
    started = await startPostgres(settings)
  })
  afterAll(async () => started?.stop())

  function server(): PostgresServer {
    if (started === undefined) throw new Error('PostgreSQL runs only in tests and in their hooks')
    return started
  }

  return {
    get port() {
      return server().port
    },
    get url() {
      return server().url
    },
    crash: () => server().crash(),
    shutDown: () => server().shutDown(),
    restart: () => server().restart(),
    hang: () => server().hang(),
    resume: () => server().resume(),
  }
}
