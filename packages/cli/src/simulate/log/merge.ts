import { Heap } from './heap.js'
import type { LogRecord } from './record.js'

/** The requests of a log, a part at a time. */
interface LogReader {
  next(): Promise<readonly LogRecord[] | undefined>
}

/** Merges several logs by time. It opens a log when its first line is due, so it can merge thousands of files. */
export async function* merged(
  readers: readonly LogReader[],
  firstTimes: ReadonlyMap<LogReader, number>,
): AsyncGenerator<readonly LogRecord[]> {
  const waiting = new Heap<Part>()
  for (const reader of readers) {
    waiting.push(firstTimes.get(reader) ?? -Infinity, { reader, batch: [], at: 0, due: noTimes })
  }
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.at < part.batch.length) yield take(part, waiting.least)
    while (part.at === part.batch.length) {
      const batch = await part.reader.next()
      if (batch === undefined) break
      part = { reader: part.reader, batch, at: 0, due: earliestFrom(batch) }
    }
    if (part.at < part.batch.length) waiting.push(part.due[part.at], part)
  }
}

/** The part of a log that has been read, and passed on up to `at`. */
interface Part {
  readonly reader: LogReader
  readonly batch: readonly LogRecord[]
  at: number
  /** For each record of the batch, the earliest time of it and the records after it. A line from the future does not hold back the lines after it. */
  readonly due: Float64Array
}

const noTimes = new Float64Array()

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
function take(part: Part, until: number): readonly LogRecord[] {
  const { batch, at, due } = part
  let end = at + 1
  while (end < batch.length && due[end] <= until) end++
  part.at = end
  return batch.slice(at, end)
}
