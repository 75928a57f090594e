const sqlite = 'packages/sqlite/src'

export const area = 'sqlite'

export const tests = ['packages/sqlite/test']

export const mutants = [
  {
    file: `${sqlite}/database.ts`,
    name: 'only the first row of a group is checked',
    find: 'changes.every(({ key, version }) =>',
    replace: 'changes.slice(0, 1).every(({ key, version }) =>',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a row that has ended is not replaced',
    find: 'return Number(ends) <= now',
    replace: 'return Number(ends) <= 0',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a row that has not ended is replaced',
    find: 'return Number(ends) <= now',
    replace: 'return Number(ends) <= now + 1e6',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a failed save is not undone',
    find: '      rollBack()\n',
    replace: '',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a call does not wait for a lock',
    find: 'if (!isBusy(error) || Date.now() >= until) throw',
    replace: 'if (isBusy(error) || Date.now() > 0) throw',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a ping does not see a lock',
    find: 'inTransaction(() => writeNothing.run())',
    replace: "rowOf('')",
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'groups are saved at any time',
    find: 'from <= now && now <= until',
    replace: 'from <= until',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'the versions of a deleted row return',
    find: 'Math.floor(Math.random() * 2 ** 52)',
    replace: '1',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'ended rows are never deleted',
    find: 'rowsAdded++',
    replace: '',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'rows are deleted before their end',
    find: 'where key > ? and key <= ? and ends <= ?',
    replace: 'where key > ? and key <= ? and ends >= -abs(?)',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'the deletion stays at the first rows',
    find: "cleanedTo = typeof last === 'string' ? last : ''",
    replace: "cleanedTo = ''",
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'the driver waits for a lock for seconds',
    find: 'client.exec(`pragma busy_timeout = ${busyMs}`)',
    replace: '',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'a damaged row is left out',
    find: 'return { version: Number(version), bytes:',
    replace:
      'if (!(bytes instanceof Uint8Array)) return undefined\n    return { version: Number(version), bytes:',
  },
  {
    file: `${sqlite}/database.ts`,
    name: 'the version of a bigint is another type',
    find: 'version: Number(version), bytes:',
    replace: 'version, bytes:',
  },
  {
    file: `${sqlite}/client.ts`,
    name: 'a transaction of the application is an error',
    find: "return error.message.includes('within a transaction')",
    replace: 'return false',
  },
  {
    file: `${sqlite}/sqlite-store.ts`,
    name: 'a driver with promises is accepted',
    find: 'if (columnsOf(statement.get?.())?.length === 1) return',
    replace: 'if (statement.get !== undefined) return',
  },
]
