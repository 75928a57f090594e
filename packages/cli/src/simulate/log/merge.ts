import type { LogRecord } from './record.js'
import { Heap } from './heap.js'

/** The requests of a log, a part at a time. */
interface LogReader {
  next(): Promise<readonly LogRecord[] | undefined>
}

/** Merges several logs by time. It opens a log when its first line is due, so it can merge thousands of files. */
export async function* merged(
  readers: readonly LogReader[],
  firstTimes: ReadonlyMap<LogReader, number>,
): AsyncGenerator<readonly LogRecord[]> {
  if (readers.length === 1) {
    for (;;) {
      const batch = await readers[0].next()
      if (batch === undefined) return
      yield batch
    }
  }
  const waiting = new Heap<LogReader>()
  for (const reader of readers) waiting.push(firstTimes.get(reader) ?? -Infinity, reader)
  const open = new Heap<OpenReader>()
  while (waiting.size > 0 || open.size > 0) {
    await openDue(waiting, open)
    const first = open.pop()
    if (first === undefined) continue
    yield take(first, Math.min(waiting.least, open.least))
    if (first.at < first.batch.length || (await refill(first))) open.push(dueOf(first), first)
  }
}

interface OpenReader {
  readonly reader: LogReader
  batch: readonly LogRecord[]
  at: number
  /** For each record of the batch, the earliest time of it and the records after it. A line from the future does not hold back the lines after it. */
  due: Float64Array
}

function dueOf({ due, at }: OpenReader): number {
  return due[at]
}

/** Opens the logs that start before the next record. */
async function openDue(waiting: Heap<LogReader>, open: Heap<OpenReader>): Promise<void> {
  while (waiting.size > 0 && (open.size === 0 || waiting.least <= open.least)) {
    const reader = waiting.pop()
    if (reader === undefined) return
    const opened = { reader, batch: [], at: 0, due: new Float64Array() }
    if (await refill(opened)) open.push(dueOf(opened), opened)
  }
}

async function refill(opened: OpenReader): Promise<boolean> {
  let batch: readonly LogRecord[] | undefined
  do {
    batch = await opened.reader.next()
    if (batch === undefined) return false
  } while (batch.length === 0)
  opened.batch = batch
  opened.at = 0
  opened.due = earliestFrom(batch)
  return true
}

function earliestFrom(batch: readonly LogRecord[]): Float64Array {
  const due = new Float64Array(batch.length)
  let earliest = Infinity
  for (let i = batch.length - 1; i >= 0; i--) {
    earliest = Math.min(earliest, batch[i].time)
    due[i] = earliest
  }
  return due
}

/** Takes at least one record, and all further records up to the next record of another log. */
function take(opened: OpenReader, until: number): readonly LogRecord[] {
  const { batch, at, due } = opened
  let end = at + 1
  while (end < batch.length && due[end] <= until) end++
  opened.at = end
  return batch.slice(at, end)
}
