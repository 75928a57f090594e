import type { LogRecord } from './record.js'
import { Heap } from './heap.js'

/** A stage through which records pass on their way to the replay. */
export interface Stage {
  push(record: LogRecord): void
  /** Passes on all records that the stage holds. */
  flush(): void
  /** The number of records that were too late to be put in order. */
  readonly late: number
}

/**
 * Puts the records of a log with whole seconds in order, and spreads the records of each second evenly over it, in the order of the file.
 * Without spreading, the replay would have a burst at the start of each second.
 *
 * @param spread whether to spread them, or to leave all at the beginning of their second
 */
export function createSpread(
  { disorderMs, maxHeld, spread }: { disorderMs: number; maxHeld: number; spread: boolean },
  next: (record: LogRecord) => void,
): Stage {
  const bySecond = new Map<number, LogRecord[]>()
  const seconds = new Heap<LogRecord[]>()
  let latest = -Infinity
  let emitted = -Infinity
  let held = 0
  let late = 0

  function push(record: LogRecord): void {
    let second = Math.floor(statedTime(record) / 1000)
    if (second <= emitted) {
      late++
      // A late record is replayed in the first second that has not been passed on.
      second = emitted + 1
    }
    add(record, second)
    held++
    if (second > latest) {
      latest = second
      emitUntil(latest - disorderMs / 1000)
    }
    if (held > maxHeld) emit()
  }

  function add(record: LogRecord, second: number): void {
    if (bySecond.get(second)?.push(record) !== undefined) return
    const records = [record]
    bySecond.set(second, records)
    seconds.push(second, records)
  }

  /** Passes on all seconds before `end`. */
  function emitUntil(end: number): void {
    while (seconds.least < end) emit()
  }

  /** Passes on the oldest second. */
  function emit(): void {
    const second = seconds.least
    const records = seconds.pop() ?? []
    bySecond.delete(second)
    held -= records.length
    emitted = second
    for (let i = 0; i < records.length; i++) {
      const record = records[i]
      const within = spread ? Math.floor((i * 1000) / records.length) : 0
      const { time, durationMs = 0 } = record
      record.at = second * 1000 + within - (statedTime(record) === time ? durationMs : 0)
      next(record)
    }
    // A map that has grown keeps its earlier table for iterators, and so would keep these records.
    records.length = 0
  }

  return {
    push,
    flush: () => emitUntil(Infinity),
    get late() {
      return late
    },
  }
}

/** The time of the line, which has whole seconds: the end of the request, or its start in a format that states that. */
function statedTime({ time, durationMs }: LogRecord): number {
  if (durationMs === undefined) return time
  return time % 1000 === 0 || (time - durationMs) % 1000 !== 0 ? time : time - durationMs
}

/** Puts records in the order of `at`. A record that is later than `disorderMs` is replayed at the current time. */
export function createReorder(
  { disorderMs, maxHeld }: { disorderMs: number; maxHeld: number },
  next: (record: LogRecord) => void,
): Stage {
  const heap = new Heap<LogRecord>()
  let latest = -Infinity
  let emitted = -Infinity
  let late = 0

  function emit(): void {
    const record = heap.pop()
    if (record === undefined) return
    emitted = record.at
    next(record)
  }

  return {
    push(record) {
      if (record.at < emitted) {
        late++
        record.at = emitted
      }
      heap.push(record.at, record)
      if (record.at > latest) latest = record.at
      while (heap.least < latest - disorderMs || heap.size > maxHeld) emit()
    },
    flush() {
      while (heap.size > 0) emit()
    },
    get late() {
      return late
    },
  }
}
