import { usualReading, type RowAlgorithm, type Row } from '../algorithm.js'
import type { PlainLua } from '../plain-lua.js'

export type SpreadParams = {
  readonly limit: number
  readonly window: number
}

// row: [the start of the current window, the start of the older window,
//       the units taken in the current one, the milliseconds from its start to its last unit, the same for the older one,
//       (only in a receipt) the milliseconds to the last unit before the take]
// A window starts at the time of its first unit. The start never changes, so it identifies the window of a receipt.
const FIRST = 0
const OLDER_FIRST = 1
const UNITS = 2
const SPAN = 3
const OLDER_UNITS = 4
const OLDER_SPAN = 5
const SPAN_BEFORE = 6

/**
 * Two windows, each started by an allowed request. The units of the older one count as if they had been taken evenly between its first and its
 * last unit, and each of them expires one window after its time.
 */
export const spreadSteps: RowAlgorithm<SpreadParams> = {
  ...usualReading,
  id: 9,
  cells: () => ({ times: 2, counts: 4, extras: 1 }),
  args: ({ limit, window }) => [limit, window],

  look(row, { limit, window }, now, cost) {
    if (row[UNITS] === 0 || now >= row[FIRST] + window) startWindow(row, now)
    return limit > 0 && row[UNITS] + stillCounting(row, window, now) + cost <= limit
  },

  take(row, _params, now, cost) {
    if (cost === 0) return
    row[SPAN_BEFORE] = row[SPAN]
    row[UNITS] += cost
    row[SPAN] = Math.max(row[SPAN], now - row[FIRST])
  },

  refundReceipt(row, { window }, now, cost, receipt) {
    const isCurrent = row[UNITS] > 0 && row[FIRST] === receipt[FIRST]
    const isOlder = row[OLDER_FIRST] === receipt[FIRST] && stillCounting(row, window, now) > 0
    if (cost === 0 || (!isCurrent && !isOlder)) return
    const units = isCurrent ? UNITS : OLDER_UNITS
    const span = units + 1
    // The time of the last unit is restored only if nothing was taken since. Otherwise the other units keep it, which errs on the strict side.
    const isNewest = row[units] === receipt[UNITS] && row[span] === receipt[SPAN]
    if (isNewest) row[span] = receipt[SPAN_BEFORE]
    row[units] -= Math.min(cost, row[units])
  },

  refundUnits(row, _params, _now, units) {
    const left = units - Math.min(units, row[UNITS])
    refundNewest(row, UNITS, units)
    refundNewest(row, OLDER_UNITS, left)
  },

  ends(row, { window }) {
    if (row[UNITS] > 0) return row[FIRST] + row[SPAN] + window
    return row[OLDER_UNITS] > 0 ? row[OLDER_FIRST] + row[OLDER_SPAN] + window : 0
  },

  wait(row, { limit, window }, now, cost) {
    if (cost > limit || limit === 0) return Infinity
    const older = stillCounting(row, window, now)
    const excess = row[UNITS] + older + cost - limit
    if (excess <= 0) return 0
    return timeOfUnit(row, older, excess) + window - now
  },

  used: (row, { window }, now) => row[UNITS] + stillCounting(row, window, now),
  quota: (params) => params.limit,
  windowMs: (params) => params.window,
  followsWall: () => false,
  full: (row, params) => spreadSteps.ends(row, params),
  next: (row, params, now, remaining) => spreadSteps.wait(row, params, now, remaining),

  settle(decided, cost) {
    const { row, params, now } = decided
    const { limit, window } = params
    spreadSteps.take(row, params, now, cost)
    const older = stillCounting(row, window, now)
    const used = row[UNITS] + older
    const ends = spreadSteps.ends(row, params)
    decided.used = used
    decided.next = timeOfUnit(row, older, Math.max(1, used + 1 - limit)) + window - now
    decided.full = ends
    decided.ends = ends
  },
}

/** Starts a window. If the current one has units, it becomes the older one. */
function startWindow(row: Row, now: number): void {
  if (row[UNITS] > 0) {
    row[OLDER_FIRST] = row[FIRST]
    row[OLDER_UNITS] = row[UNITS]
    row[OLDER_SPAN] = row[SPAN]
    row[UNITS] = 0
  }
  // Even if the clock was set back, a window starts after the units of the older one: at its end, all of them have expired.
  row[FIRST] = Math.max(now, row[OLDER_FIRST] + row[OLDER_SPAN])
  row[SPAN] = 0
}

/** The number of units of the older window that are still inside. A single unit that refunds have left counts as the last one. */
function stillCounting(row: Row, window: number, now: number): number {
  const units = row[OLDER_UNITS]
  const elapsed = now - window - row[OLDER_FIRST]
  if (elapsed < 0 || units === 0) return units
  const span = row[OLDER_SPAN]
  if (elapsed >= span) return 0
  return units === 1 ? 1 : units - 1 - gapsPassed(elapsed, units - 1, span)
}

/**
 * The time of the unit number `count`, of those that still count. `older` of them are in the older window. Units expire in order: first those of the
 * older window, then those of the current one, which is the older one by then.
 */
function timeOfUnit(row: Row, older: number, count: number): number {
  return count <= older
    ? row[OLDER_FIRST] +
        spanUntil(row[OLDER_UNITS] - older + count, row[OLDER_UNITS], row[OLDER_SPAN])
    : row[FIRST] + spanUntil(count - older, row[UNITS], row[SPAN])
}

/** ⌊elapsed × gaps / span⌋, exactly, if elapsed < span ≤ ten years. */
function gapsPassed(elapsed: number, gaps: number, span: number): number {
  const product = elapsed * gaps
  if (product < 2 ** 53) return Math.floor(product / span)
  // Only penalties or a changed policy lead to so many units. Long division in digits of 13 bits, so that no number exceeds 2^53.
  let passed = 0
  let rest = 0
  for (let unit = 2 ** 52; unit >= 1; unit /= 2 ** 13) {
    const part = rest * 2 ** 13 + elapsed * (Math.floor(gaps / unit) % 2 ** 13)
    passed = passed * 2 ** 13 + Math.floor(part / span)
    rest = part % span
  }
  return passed
}

/** The time from the first unit to the `count`-th, rounded up. */
function spanUntil(count: number, units: number, span: number): number {
  if (units === 1) return span
  const product = (count - 1) * span
  return product < 2 ** 53 ? Math.ceil(product / (units - 1)) : longSpanUntil(count, units, span)
}

/** The same for products that a number cannot hold. Only penalties or a changed policy lead to so many units. */
function longSpanUntil(count: number, units: number, span: number): number {
  const gaps = BigInt(units - 1)
  return Number((BigInt(count - 1) * BigInt(span) + gaps - 1n) / gaps)
}

/** Refunds the newest units of a window. The others keep their estimated times. */
function refundNewest(row: Row, units: number, refunded: number): void {
  const before = row[units]
  const kept = Math.max(0, before - refunded)
  if (kept === before) return
  row[units] = kept
  row[units + 1] = kept > 1 ? Math.floor((row[units + 1] * (kept - 1)) / (before - 1)) : 0
}

/** Sets `still` to the units of the older window that still count. Numbers are exact below 2^53, so a larger product is divided in parts of 13 bits. */
const stillCountingLua = `
    local still, elapsed = row[5], now - params[2] - row[2]
    if still > 0 and elapsed >= 0 then
      if elapsed >= row[6] then still = 0
      elseif still > 1 then
        local gaps, passed = still - 1, 0
        if elapsed * gaps < 2 ^ 53 then passed = math.floor(elapsed * gaps / row[6])
        else
          local rest, unit = 0, 2 ^ 52
          while unit >= 1 do
            local part = rest * 2 ^ 13 + elapsed * (math.floor(gaps / unit) % 2 ^ 13)
            passed = passed * 2 ^ 13 + math.floor(part / row[6])
            rest = part % row[6]
            unit = unit / 2 ^ 13
          end
        end
        still = gaps - passed
      end
    end`

// row: 1 the start of the current window, 2 the start of the older window,
//      3 the units taken in the current one, 4 the ms from its start to its last unit, 5 and 6 the same for the older one,
//      7 (only in a receipt) the ms to the last unit before the take
// params: 1 limit, 2 window
export const spreadLua = (): PlainLua => ({
  look: `
    if row[3] > 0 and now >= row[1] + params[2] then
      row[2], row[5], row[6] = row[1], row[3], row[4]
      row[3] = 0
    end
    if row[3] == 0 then
      row[1], row[4] = math.max(now, row[2] + row[6]), 0
    end
    ${stillCountingLua}
    fits = params[1] > 0 and row[3] + still + cost <= params[1]`,

  take: `
    if cost > 0 then
      row[7] = row[4]
      row[3] = row[3] + cost
      if now - row[1] > row[4] then row[4] = now - row[1] end
    end`,

  ends: `
    ended = row[3] > 0 and row[1] + row[4] + params[2] or row[5] > 0 and row[2] + row[6] + params[2] or 0`,

  others: `
  local function isOlderCounting(row, params, now)
    ${stillCountingLua}
    return still > 0
  end

  local function refundNewest(row, units, refunded)
    local before = row[units]
    local kept = math.max(0, before - refunded)
    if kept == before then return end
    row[units] = kept
    row[units + 1] = kept > 1 and math.floor(row[units + 1] * (kept - 1) / (before - 1)) or 0
  end

  function steps.refundReceipt(row, params, now, cost, receipt)
    local isCurrent = row[3] > 0 and row[1] == receipt[1]
    local isOlder = row[2] == receipt[1] and isOlderCounting(row, params, now)
    if cost == 0 or not isCurrent and not isOlder then return end
    local units = isCurrent and 3 or 5
    local span = units + 1
    local isNewest = row[units] == receipt[3] and row[span] == receipt[4]
    if isNewest then row[span] = receipt[7] end
    row[units] = row[units] - math.min(cost, row[units])
  end

  function steps.refundUnits(row, params, now, units)
    local left = units - math.min(units, row[3])
    refundNewest(row, 3, units)
    refundNewest(row, 5, left)
  end
`,
})
