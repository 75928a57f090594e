import { temporaryFile, type SqliteConnection } from '@sluice/test-kit/sqlite'
import { afterAll } from 'vitest'

/** A file for the tests of a `describe`, and connections to it. After the tests, they are closed and the file is removed. */
export function useFile(): {
  readonly file: string
  connect(open: (file: string) => SqliteConnection): SqliteConnection
} {
  const { file, remove } = temporaryFile()
  const connections: SqliteConnection[] = []
  afterAll(() => {
    for (const connection of connections) connection.close()
    remove()
  })
  return {
    file,
    connect(open) {
      const connection = open(file)
      connections.push(connection)
      return connection
    },
  }
}
