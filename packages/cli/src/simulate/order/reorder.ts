import type { LogRecord } from '../cut/record.js'
import { Heap } from './heap.js'
import type { Stage } from './spread.js'

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
