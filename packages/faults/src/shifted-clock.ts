/**
 * Replaces the wall clock of this process by one that can be set, as an operator or NTP sets a machine's: `performance.now()` runs on. It has to
 * be the first import, since others may keep `Date.now` when they load.
 */
const WallDate = Date
let shiftMs = 0

class ShiftedDate extends WallDate {
  constructor(...given: [] | ConstructorParameters<DateConstructor>) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...given)
  }

  static override now(): number {
    return WallDate.now() + shiftMs
  }
}

Object.assign(globalThis, { Date: ShiftedDate })

/** Sets the clock so far ahead of the machine's, or behind it. */
export function shiftClock(ms: number): void {
  shiftMs = ms
}
