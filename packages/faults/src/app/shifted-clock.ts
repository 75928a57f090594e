/**
 * Replaces the wall clock of this process by one that can be set, as an operator or NTP sets the clock of a machine. `performance.now()` does
 * not change. This must be the first import, because other modules may save `Date.now` when they load.
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

/** Sets the clock ahead of that of the machine, or behind it. */
export function shiftClock(ms: number): void {
  shiftMs = ms
}
