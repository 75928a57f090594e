const testing = 'packages/testing/src'

export const area = 'testing'

export const tests = ['packages/testing/test']

export const mutants = [
  {
    file: `${testing}/contract.ts`,
    name: 'nothing is expected',
    find: 'if (holds) return',
    replace: 'if (holds || !holds) return',
  },
  {
    file: `${testing}/rows.ts`,
    name: 'rows of other bytes are the same',
    find: 'one.length === other.length && one.every((byte, i) => byte === other[i])',
    replace: 'one.length === other.length',
  },
  {
    file: `${testing}/rows.ts`,
    name: 'a reply to save can have any length',
    find: 'versions === undefined || versions.length === groups[i].length',
    replace: 'versions === undefined || versions.length >= 0',
  },
  {
    file: `${testing}/rows.ts`,
    name: 'a reply to load can have any length',
    find: 'rows.length === keys.length,',
    replace: 'rows.length >= 0,',
  },
  {
    file: `${testing}/states.ts`,
    name: 'a damaged row can be replaced as if it were new',
    find: "expectThat(added === undefined, 'unreadable',",
    replace: "expectThat(added === undefined || added !== undefined, 'unreadable',",
  },
  {
    file: `${testing}/states.ts`,
    name: 'an unreadable row can be absent',
    find: "expectBytes(row, new Uint8Array(), 'unreadable')",
    replace: '',
  },
  {
    file: `${testing}/describe-database.ts`,
    name: 'unreadable rows are not tested',
    find: 'if (damage !== undefined) describeDamage',
    replace: 'if (damage === undefined) describeDamage',
  },
  {
    file: `${testing}/describe-database.ts`,
    name: 'groups are not tested',
    find: '    describeGroups(makeDatabase, it)\n',
    replace: '',
  },
  {
    file: `${testing}/times.ts`,
    name: 'a clock of seconds is accepted',
    find: '!times.every((time) => time % 1000 === 0)',
    replace: 'times.length > 0',
  },
  {
    file: `${testing}/times.ts`,
    name: 'a row can disappear before its end',
    find: "await expectRow(database, ending, bytes, 'ends')",
    replace: '',
  },
  {
    file: `${testing}/traffic.ts`,
    name: 'several saves by one version are accepted',
    find: 'saved.length < 2',
    replace: 'saved.length < 9',
  },
  {
    file: `${testing}/traffic.ts`,
    name: 'the counts need not be exact',
    find: 'expectBytes(row, bytesOf(200),',
    replace: 'expectBytes(row, row?.bytes,',
  },
  {
    file: `${testing}/memory-database.ts`,
    name: 'the database of testStore ignores versions',
    find: 'this.#rows.get(key)?.version === version',
    replace: 'key !== String(version)',
  },
  {
    file: `${testing}/test-store.ts`,
    name: 'fail does not fail',
    find: 'throw error',
    replace: 'void error',
  },
  {
    file: `${testing}/test-store.ts`,
    name: 'hang does not hang',
    find: 'database.before = async () => new Promise(() => {})',
    replace: '',
  },
  {
    file: `${testing}/test-store.ts`,
    name: 'after recover, the breaker stays open',
    find: 'store = databaseStore(database, options)\n    },',
    replace: '},',
  },
]
