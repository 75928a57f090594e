import { checked, optional, readOptions, type OptionReader } from '@sluice/core/internal'

/** Options of `postgresSchema`, and the place of the rows for `postgresStore`. */
export interface PostgresSchemaOptions {
  /**
   * The schema of the table and its functions. It has to exist.
   *
   * @default 'public'
   */
  readonly schema?: string | undefined
  /**
   * The table. The names of its functions begin with it.
   *
   * @default 'sluice'
   */
  readonly table?: string | undefined
  /**
   * Whether the rows survive a crash of the server, and are on its standbys. Each save then waits for the disk. Otherwise the table is empty after a crash or a
   * failover, and counts begin again.
   *
   * @default false
   */
  readonly logged?: boolean | undefined
}

/** A name of PostgreSQL, which cuts names after 63 bytes. Those of the functions are up to eight bytes longer than that of the table. */
const name: OptionReader<string> = checked('a name of 1 to 50 bytes, without "$sluice$"', isName)

/** The readers of these options. */
export const schemaReaders: {
  readonly schema: OptionReader<string>
  readonly table: OptionReader<string>
  readonly logged: OptionReader<boolean>
} = {
  schema: optional(name, 'public'),
  table: optional(name, 'sluice'),
  logged: optional(checked('true or false', isBoolean), false),
}

/** The quoted names of the table and its functions. A function whose arguments change gets the next number: a rolling deploy needs both. */
export interface Names {
  readonly table: string
  readonly load: string
  readonly save: string
  readonly clean: string
}

export function namesOf(schema: string, table: string): Names {
  const named = (own: string): string => `${quoted(schema)}.${quoted(own)}`
  return {
    table: named(table),
    load: named(`${table}_load_1`),
    save: named(`${table}_save_1`),
    clean: named(`${table}_clean_1`),
  }
}

/**
 * The SQL that creates the table and its functions, for a migration. It changes nothing that exists already, and can run again.
 *
 * @example
 * import { postgresSchema } from '@sluice/postgres'
 *
 * await pool.query(postgresSchema())
 * @throws SluiceError if an option is unknown or out of range
 */
export function postgresSchema(options: PostgresSchemaOptions = {}): string {
  const { schema, table, logged } = readOptions('postgresSchema', options, schemaReaders)
  return schemaOf(namesOf(schema, table), logged)
}

/** The time of the server in milliseconds. It moves during a transaction. */
export const clock = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** A random number, so that the versions of a row that was deleted do not return. */
export const firstVersion = '(random() * 4503599627370496)::bigint'

/**
 * The next version of a row. The steps are random, because a failover can lose the last saves: a process that remembers a lost version must not find it again
 * for another state.
 */
export const nextVersion = 'version + 1 + (random() * 1000000)::int'

/** A row that has ended counts as none, so a new one replaces it. The table is "t". */
export const overEnded: string = `on conflict (key) do update set version = t.${nextVersion}, ends = excluded.ends, state = excluded.state where t.ends <= ${clock}`

export function schemaOf({ table, load, save, clean }: Names, logged: boolean): string {
  return `
do $sluice$ begin
  if current_setting('server_version_num')::int < 140000 then
    raise exception 'Sluice needs PostgreSQL 14 or later';
  end if;
  if current_setting('server_encoding') not in ('UTF8', 'SQL_ASCII') then
    raise exception 'Sluice needs a database with the encoding UTF8, because keys can have any characters';
  end if;
end $sluice$;

-- The keys are compared byte by byte, whatever the collation of the database. A part of each page is left free, so that an update stays on its page.
create ${logged ? '' : 'unlogged '}table if not exists ${table} (
  key text collate "C" primary key,
  version bigint not null,
  ends bigint not null,
  state bytea not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create or replace function ${load}(keys text[])
returns table (version bigint, state bytea, now bigint) language sql stable as $sluice$
  select t.version, t.state, ${clock}
  from unnest(keys) with ordinality as asked (key, i) left join ${table} t on t.key = asked.key
  order by asked.i
$sluice$;

-- Saves each group whole, or not at all. The arrays are in the order of the keys, so that two calls lock rows in one order.
-- old_versions: null if there was no row, or it has ended. new_states: null to delete the row. groups: null if each row is a group.
create or replace function ${save}(since bigint, until bigint, new_keys text[], old_versions bigint[], new_states bytea[], new_ends bigint[], groups int[])
returns table (saved boolean, version bigint, state bytea, now bigint) language plpgsql as $sluice$
#variable_conflict use_column
declare
  started constant bigint := ${clock};
  is_in_span constant boolean := started between since and until;
  changed int[] := '{}';
  is_new boolean[] := '{}';
  found_version bigint;
begin
  -- Locks the rows of groups, and finds the groups of which one has changed.
  if is_in_span and groups is not null then
    for n in 1 .. cardinality(new_keys) loop
      is_new[n] := false;
      if old_versions[n] is null then
        insert into ${table} as t values (new_keys[n], ${firstVersion}, new_ends[n], new_states[n])
          ${overEnded};
        is_new[n] := found;
      else
        perform 1 from ${table} t where t.key = new_keys[n] and t.version = old_versions[n] for update;
      end if;
      if not found then changed := changed || groups[n]; end if;
    end loop;
  end if;
  for n in 1 .. cardinality(new_keys) loop
    found_version := null;
    if not is_in_span then
      null;
    elsif groups[n] = any (changed) then
      if is_new[n] then delete from ${table} t where t.key = new_keys[n]; end if;
    elsif is_new[n] then
      select t.version into found_version from ${table} t where t.key = new_keys[n];
    elsif old_versions[n] is null then
      insert into ${table} as t values (new_keys[n], ${firstVersion}, new_ends[n], new_states[n])
        ${overEnded}
        returning t.version into found_version;
    elsif new_states[n] is null then
      delete from ${table} t where t.key = new_keys[n] and t.version = old_versions[n]
        returning t.version into found_version;
    else
      update ${table} t set version = t.${nextVersion}, state = new_states[n], ends = new_ends[n]
        where t.key = new_keys[n] and t.version = old_versions[n] returning t.version into found_version;
    end if;
    saved := found_version is not null;
    version := found_version;
    state := null;
    now := started;
    if not saved then
      select t.version, t.state into version, state from ${table} t where t.key = new_keys[n];
    end if;
    return next;
  end loop;
  -- Nothing may be saved late because another call held a lock.
  if is_in_span and ${clock} > until then
    raise exception 'late' using errcode = 'SL001';
  end if;
end $sluice$;

-- Deletes ended rows of a few pages, at a random place: with an index on "ends", no update could stay on its page.
create or replace function ${clean}(pages int) returns void language plpgsql as $sluice$
declare
  total constant bigint := pg_relation_size('${table.replaceAll("'", "''")}') / current_setting('block_size')::int;
  first constant bigint := floor(random() * greatest(1, total - pages + 1));
begin
  delete from ${table} where ctid = any (array(
    select ctid from ${table}
    where ctid >= format('(%s,0)', first)::tid and ctid < format('(%s,0)', first + pages)::tid and ends <= ${clock}
    for update skip locked));
end $sluice$;
`
}

function quoted(own: string): string {
  return `"${own.replaceAll('"', '""')}"`
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    !value.includes('\0') &&
    // It ends the bodies of the functions.
    !value.includes('$sluice$') &&
    Buffer.byteLength(value) <= 50
  )
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
