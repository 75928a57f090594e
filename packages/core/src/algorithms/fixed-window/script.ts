import type { PlainLua } from '../plain-lua.js'
import { windowLua } from '../window-lua.js'

/** params: 1 limit, 2 window, 3 aligned, 4 offset */
export const fixedWindowLua = (): PlainLua =>
  windowLua(
    '(params[3] == 0 and row[1] + params[2] or row[1] - (row[1] - params[4]) % params[2] + params[2])',
  )
