import type { LogRecord } from '../cut/record.js'
import type { LogReader } from './log-reader.js'

/** Merges several logs by time. It opens a log when its first line is due, so it can merge thousands of files. */
export async function* merged(
  readers: readonly LogReader[],
  firstTimes: ReadonlyMap<LogReader, number>,
): AsyncGenerator<readonly LogRecord[]> {
  if (readers.length === 1) {
    yield* batchesOf(readers[0])
    return
  }
  const startOf = (reader: LogReader): number => firstTimes.get(reader) ?? -Infinity
  const waiting = [...readers].sort((a, b) => startOf(a) - startOf(b))
  const open: OpenReader[] = []
  while (waiting.length > 0 || open.length > 0) {
    await openDue(waiting, startOf, open)
    if (open.length === 0) continue
    const first = open.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a))
    const others = open.filter((one) => one !== first)
    const nextStart = waiting.length === 0 ? Infinity : startOf(waiting[0])
    const until = Math.min(nextStart, ...others.map(timeOf))
    yield take(first, until)
    if (first.at === first.batch.length && !(await refill(first))) {
      open.splice(open.indexOf(first), 1)
    }
  }
}

async function* batchesOf(reader: LogReader): AsyncGenerator<readonly LogRecord[]> {
  for (;;) {
    const batch = await reader.next()
    if (batch === undefined) return
    yield batch
  }
}

interface OpenReader {
  readonly reader: LogReader
  batch: readonly LogRecord[]
  at: number
}

function timeOf({ batch, at }: OpenReader): number {
  return batch[at].time
}

/** Opens the logs that start before the next record. */
async function openDue(
  waiting: LogReader[],
  startOf: (reader: LogReader) => number,
  open: OpenReader[],
): Promise<void> {
  while (waiting.length > 0) {
    const next = Math.min(...open.map(timeOf))
    if (open.length > 0 && startOf(waiting[0]) > next) return
    const [reader] = waiting.splice(0, 1)
    const opened = { reader, batch: [], at: 0 }
    if (await refill(opened)) open.push(opened)
  }
}

async function refill(opened: OpenReader): Promise<boolean> {
  do {
    const batch = await opened.reader.next()
    if (batch === undefined) return false
    opened.batch = batch
    opened.at = 0
  } while (opened.batch.length === 0)
  return true
}

/** Takes at least one record, and all further records up to the next record of another log. */
function take(opened: OpenReader, until: number): readonly LogRecord[] {
  const { batch, at } = opened
  let end = at + 1
  while (end < batch.length && batch[end].time <= until) end++
  opened.at = end
  return batch.slice(at, end)
}
