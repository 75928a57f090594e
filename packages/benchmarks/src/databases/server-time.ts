import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { connectionName } from './postgres.js'

/** The CPU time in microseconds of the server for the connections of a contender. NaN where the system has no `schedstat`. */
export async function serverTimeOf(
  admin: pg.Pool,
  name: string,
  work: () => Promise<void>,
): Promise<number> {
  const before = await timesOf(admin, name)
  await work()
  const after = await timesOf(admin, name)
  let sum = 0
  for (const [pid, nanoseconds] of after) sum += nanoseconds - (before.get(pid) ?? 0)
  return sum / 1000
}

/** The CPU time in nanoseconds of each process of the server, by its number. */
async function timesOf(admin: pg.Pool, name: string): Promise<ReadonlyMap<number, number>> {
  const { rows } = await admin.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name = $1',
    [connectionName(name)],
  )
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]))
}

/** `stat` has a resolution of ten milliseconds. */
function timeOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0])
  } catch {
    return Number.NaN
  }
}
