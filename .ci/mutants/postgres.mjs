const postgres = 'packages/postgres/src'

export const area = 'postgres'

export const tests = ['packages/postgres/test']

export const mutants = [
  {
    file: `${postgres}/database.ts`,
    name: 'rows of a group are saved one by one',
    find: 'isSingle ? null : arrayOf(changes.map(({ g }) => g))',
    replace: 'isSingle ? null : changes.map((_, i) => i)',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'a conflict of the server is an error',
    find: 'if (!isConflict(error)) throw error',
    replace: 'if (isConflict(error) || !isConflict(error)) throw error',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'a refused row is not returned',
    find: 'rows: new Map([[key, rows[0]]])',
    replace: 'rows: new Map([[key, undefined]])',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'a row alone is saved at any time',
    find: 'key = $1::text and version = $2::text::bigint and ${clock} between $5::bigint and $6::bigint',
    replace: 'key = $1::text and version = $2::text::bigint and $5::bigint <= $6::bigint',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'a row alone is saved after it has waited for a lock',
    find: '${clock} / (${clock} <= ${until}::bigint)::int',
    replace: '${clock} / (${until}::bigint > 0)::int',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'a ping does not see a lock',
    find: 'await run(texts.touch)',
    replace: '',
  },
  {
    file: `${postgres}/database.ts`,
    name: 'ended rows are never deleted',
    find: 'await run(texts.clean, [])',
    replace: 'await run(texts.now, [])',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a changed row of a group is not noticed',
    find: 'if not found then changed := changed || groups[n]; end if;',
    replace: '',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a row that has not ended is replaced',
    find: 'where t.ends <= ${clock}`',
    replace: 'where true`',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a row that has ended keeps its version',
    find: 'do update set version = t.${nextVersion},',
    replace: 'do update set version = t.version,',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a new row of a refused group stays',
    find: 'if is_new[n] then delete from ${table} t where t.key = new_keys[n]; end if;',
    replace: 'null;',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'several rows are saved at any time',
    find: 'started between since and until',
    replace: 'true',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'several rows are saved after they have waited for a lock',
    find: 'if is_in_span and ${clock} > until then',
    replace: 'if false then',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a lost version returns',
    find: "'version + 1 + (random() * 1000000)::int'",
    replace: "'version + 1'",
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'the versions of a deleted row return',
    find: "'(random() * 4503599627370496)::bigint'",
    replace: "'1::bigint'",
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'rows are deleted before their end',
    find: 'and ends <= ${clock}\n    for update',
    replace: '\n    for update',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'keys are compared by the collation of the database',
    find: 'key text collate "C" primary key',
    replace: 'key text collate "und-x-icu" primary key',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'the table is always logged',
    find: "create ${logged ? '' : 'unlogged '}table",
    replace: 'create table',
  },
  {
    file: `${postgres}/schema.ts`,
    name: 'a quote in a name ends it',
    find: `own.replaceAll('"', '""')`,
    replace: 'own',
  },
  {
    file: `${postgres}/statements.ts`,
    name: 'a lost statement fails the call',
    find: 'if (name !== undefined && isLost(error)) {',
    replace: 'if (name === undefined && isLost(error)) {',
  },
  {
    file: `${postgres}/statements.ts`,
    name: 'statements are prepared after one was lost',
    find: 'isPrepared = false',
    replace: '',
  },
  {
    file: `${postgres}/statements.ts`,
    name: 'simultaneous starts create the table at once',
    find: '`select pg_advisory_xact_lock(${migrationLock});\\n${sql}`',
    replace: 'sql',
  },
  {
    file: `${postgres}/statements.ts`,
    name: 'all statements have one name',
    find: '.update(text)',
    replace: ".update('')",
  },
  {
    file: `${postgres}/errors.ts`,
    name: 'a refused statement makes the server unavailable',
    find: "if (codeOf(cause) === '42501') return new SluiceError('SLUICE_STORE_REFUSED', refused)",
    replace:
      "if (codeOf(cause) === '42501') return new SluiceError('SLUICE_STORE_REFUSED', refused, { cause })",
  },
  {
    file: `${postgres}/errors.ts`,
    name: 'a missing table has no advice',
    find: "code === '42P01' ||",
    replace: '',
  },
]
