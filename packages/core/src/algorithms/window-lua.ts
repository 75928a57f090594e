import type { PlainLua } from './plain-lua.js'

/** The twin of `window.ts`. `closing` is an expression: the end of the window that contains the time row[1]. The first of the params is the limit. */
export function windowLua(closing: string): PlainLua {
  return {
    // row: 1 a time in the window: that of its first allowed request, 2 the units taken in the window
    look: `
    if row[2] == 0 or now >= ${closing} then
      row[1], row[2] = now, 0
    end
    fits = params[1] > 0 and row[2] + cost <= params[1]`,

    take: `row[2] = row[2] + cost`,

    ends: `ended = row[2] == 0 and 0 or ${closing}`,

    others: `
  function steps.refund(row, params, now, units, taken)
    if taken and taken.row[1] ~= row[1] then return end
    row[2] = row[2] - math.min(units, row[2])
  end
`,
  }
}
