import { usualReading, type RowAlgorithm, type Row } from '../algorithm.js'

export type SlidingWindowParams = {
  readonly limit: number
  /** The length of a sub-window. */
  readonly size: number
  /** The number of sub-windows that count in addition to the current one. */
  readonly older: number
  /** 1: the oldest of them counts by the share that is still inside; 0: it counts completely. */
  readonly weighted: number
}

// row: [a time in the current sub-window, its number, the units taken in it, the units taken in the sub-window before, …]
// A time in the sub-window and not its start, so that the units stay in the right sub-window if the length of the window changes.
// A receipt's number identifies its sub-window, even if sub-windows of other lengths have begun since: counts move by as many places as the number
// increases. It begins with the time, and increases by less than the time does, so that a row that begins again repeats no number.
const SINCE = 0
const NUMBER = 1
const NEWEST = 2

/** Two counters. */
export const slidingWindowSteps: RowAlgorithm<SlidingWindowParams> = {
  ...usualReading,
  id: 2,
  cells: ({ older }) => ({ times: 2, counts: 1 + older }),
  args: ({ limit, size, older, weighted }) => [limit, size, older, weighted],

  look(row, params, now, cost) {
    const { limit, size, older } = params
    const passed = (startOf(now, size) - opening(row, size)) / size
    if (passed > 0) {
      for (let i = older; i >= 0; i--) row[NEWEST + i] = i >= passed ? row[NEWEST + i - passed] : 0
      row[NUMBER] = passed > older ? now : row[NUMBER] + passed
      row[SINCE] = now
    }
    const room = limit - whole(row, params) - cost
    return limit > 0 && room >= 0 && carried(row, params, now) <= room * size
  },

  take(row, _params, _now, cost) {
    row[NEWEST] += cost
  },

  refundReceipt(row, params, _now, cost, receipt) {
    const passed = row[NUMBER] - receipt[NUMBER]
    if (passed < 0 || passed > params.older) return
    const refunded = Math.min(cost, row[NEWEST + passed])
    row[NEWEST + passed] -= refunded
    if (refunded > 0) forgetIfEmpty(row, params)
  },

  refundUnits(row, params, _now, units) {
    let left = units
    for (let i = 0; i <= params.older; i++) {
      const refunded = Math.min(left, row[NEWEST + i])
      row[NEWEST + i] -= refunded
      left -= refunded
    }
    if (left < units) forgetIfEmpty(row, params)
  },

  ends(row, { size, older }) {
    for (let i = 0; i <= older; i++) {
      if (row[NEWEST + i] > 0) return opening(row, size) + (older + 1 - i) * size
    }
    return 0
  },

  wait(row, params, now, cost) {
    const { limit, size, older, weighted } = params
    if (cost > limit || limit === 0) return Infinity
    let room = limit - whole(row, params) - cost
    if (room >= 0 && carried(row, params, now) <= room * size) return 0
    // Goes forward by one sub-window at a time: the oldest expires (gradually, if it is weighted), and the next becomes the oldest.
    const start = opening(row, size)
    for (let ahead = 0; ahead <= older; ahead++) {
      const leaving = weighted * row[NEWEST + older - ahead]
      const elapsed = room < 0 ? size : elapsedUntil(leaving, room, size)
      const fits = start + ahead * size + elapsed
      if (elapsed < size && fits > now) return fits - now
      if (ahead + weighted <= older) room += row[NEWEST + older - ahead - weighted]
    }
    return start + (older + 1) * size - now
  },

  used: (row, params, now) =>
    whole(row, params) + Math.ceil(carried(row, params, now) / params.size),
  quota: (params) => params.limit,
  windowMs: ({ size, older, weighted }) => size * (older + 1 - weighted),
  followsWall: () => false,
  full: (row, params) => slidingWindowSteps.ends(row, params),
  next: (row, params, now, remaining) => slidingWindowSteps.wait(row, params, now, remaining),
}

/** More counters, or no weighted one. The policy defines their number, so the id is one of those for rows of varying width. */
export const slidingBucketsSteps: RowAlgorithm<SlidingWindowParams> = {
  ...slidingWindowSteps,
  id: 128,
}

/** The next request after a refund of all units opens a new window, so an earlier receipt refunds nothing. */
function forgetIfEmpty(row: Row, params: SlidingWindowParams): void {
  if (slidingWindowSteps.ends(row, params) === 0) row[SINCE] = row[NUMBER] = 0
}

function opening(row: Row, size: number): number {
  return startOf(row[SINCE], size)
}

/** The start of the sub-window that contains a time. It divides, as Lua does for a remainder: exact below 2^52, and much faster than `%`. */
function startOf(moment: number, size: number): number {
  return Math.floor(moment / size) * size
}

/** The units of all sub-windows that count completely. */
function whole(row: Row, { older, weighted }: SlidingWindowParams): number {
  let sum = 0
  for (let i = older - weighted; i >= 0; i--) sum += row[NEWEST + i]
  return sum
}

/** How much the oldest, weighted sub-window still counts, in units × size: whole numbers, so nothing is rounded. */
function carried(row: Row, { size, older, weighted }: SlidingWindowParams, now: number): number {
  const elapsed = Math.max(0, now - opening(row, size))
  return weighted * row[NEWEST + older] * (size - elapsed)
}

/** The least whole e in 0 … size with units × (size - e) ≤ room × size. */
function elapsedUntil(units: number, room: number, size: number): number {
  return units <= room ? 0 : size - Math.floor((room * size) / units)
}

export const slidingWindowLua = (): string => `
-- row: 1 a time in the current sub-window, 2 its number, 3 the units taken in it, 4 the units taken in the sub-window before, …
-- params: 1 limit, 2 length of a sub-window, 3 number of older sub-windows that count, 4 whether the oldest is weighted
(function()
  local function opening(row, size)
    return row[1] - row[1] % size
  end

  local function ends(row, params)
    for i = 0, params[3] do
      if row[3 + i] > 0 then return opening(row, params[2]) + (params[3] + 1 - i) * params[2] end
    end
    return 0
  end

  local function forgetIfEmpty(row, params)
    if ends(row, params) == 0 then row[1], row[2] = 0, 0 end
  end

  return {
    look = function(row, params, now, cost)
      local limit, size, older, weighted = params[1], params[2], params[3], params[4]
      local passed = (now - now % size - opening(row, size)) / size
      if passed > 0 then
        for i = older, 0, -1 do row[3 + i] = i >= passed and row[3 + i - passed] or 0 end
        row[1], row[2] = now, passed > older and now or row[2] + passed
      end
      local room = limit - cost
      for i = 0, older - weighted do room = room - row[3 + i] end
      local elapsed = math.max(0, now - opening(row, size))
      return limit > 0 and room >= 0 and weighted * row[3 + older] * (size - elapsed) <= room * size
    end,

    take = function(row, params, now, cost)
      row[3] = row[3] + cost
    end,

    refundReceipt = function(row, params, now, cost, receipt)
      local passed = row[2] - receipt[2]
      if passed < 0 or passed > params[3] then return end
      local refunded = math.min(cost, row[3 + passed])
      row[3 + passed] = row[3 + passed] - refunded
      if refunded > 0 then forgetIfEmpty(row, params) end
    end,

    refundUnits = function(row, params, now, units)
      local left = units
      for i = 3, 3 + params[3] do
        local refunded = math.min(left, row[i])
        row[i] = row[i] - refunded
        left = left - refunded
      end
      if left < units then forgetIfEmpty(row, params) end
    end,

    ends = ends,
  }
end)()`
