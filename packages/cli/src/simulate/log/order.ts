import { Heap } from './heap.js'
import type { LogRecord } from './record.js'

/** A window over the records of a log, which passes them on in the order of time. */
export interface Window {
  push(record: LogRecord): void
  /** Passes on all records that the window holds. */
  flush(): void
  /** The number of records that were too late to be put in order. */
  readonly late: number
}

export interface WindowOptions {
  readonly disorderMs: number
  /** The number of records that can wait. */
  readonly maxHeld: number
}

/** The order of the records in a window. */
export interface Order {
  /** The time by whose second a record is put in order. */
  timeOf(record: LogRecord): number
  /** Puts the records of one second in order, and gives each the time at which it is replayed. */
  settle(records: LogRecord[], second: number): void
}

/** The records of each second in the order of their arrival. */
export const byArrival: Order = {
  timeOf: ({ at }) => at,
  settle(records, second) {
    // A late record is replayed in the first second that has not been passed on.
    for (const record of records) record.at = Math.max(record.at, second * 1000)
    records.sort((a, b) => a.at - b.at)
  },
}

/** For a log with whole seconds: the records of each second at its beginning, in the order of the file. */
export const bySecond: Order = {
  timeOf: statedTime,
  settle: (records, second) => records.forEach((record) => place(record, second * 1000)),
}

/** The same, spread evenly over the second. At its beginning, all of them would be a burst. */
export const spreadOverSecond: Order = {
  timeOf: statedTime,
  settle(records, second) {
    records.forEach((record, i) =>
      place(record, second * 1000 + Math.floor((i * 1000) / records.length)),
    )
  },
}

/** The time of the line, which has whole seconds: the end of the request, or its start in a format that states that. */
function statedTime({ time, durationMs }: LogRecord): number {
  if (durationMs === undefined || time % 1000 === 0) return time
  return (time - durationMs) % 1000 === 0 ? time - durationMs : time
}

function place(record: LogRecord, lineAt: number): void {
  const { time, durationMs } = record
  const isEnd = durationMs !== undefined && statedTime(record) === time
  record.at = isEnd ? lineAt - durationMs : lineAt
}

/** Holds records until none of an earlier second can follow. A record that is later still is replayed in the first second that has not been passed on. */
export function createWindow(
  { disorderMs, maxHeld }: WindowOptions,
  { timeOf, settle }: Order,
  next: (record: LogRecord) => void,
): Window {
  const bySecond = new Map<number, LogRecord[]>()
  const seconds = new Heap<LogRecord[]>()
  let latest = -Infinity
  let emitted = -Infinity
  let held = 0
  let late = 0

  function push(record: LogRecord): void {
    let second = Math.floor(timeOf(record) / 1000)
    if (second <= emitted) {
      late++
      second = emitted + 1
    }
    if (bySecond.get(second)?.push(record) === undefined) {
      const records = [record]
      bySecond.set(second, records)
      seconds.push(second, records)
    }
    held++
    if (second > latest) {
      latest = second
      emitUntil(latest - disorderMs / 1000)
    }
    if (held > maxHeld) emit()
  }

  /** Passes on all seconds before `end`. */
  function emitUntil(end: number): void {
    while (seconds.least < end) emit()
  }

  /** Passes on the oldest second. */
  function emit(): void {
    emitted = seconds.least
    const records = seconds.pop() ?? []
    bySecond.delete(emitted)
    held -= records.length
    settle(records, emitted)
    for (let i = 0; i < records.length; i++) next(records[i])
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
