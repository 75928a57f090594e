import { windowLua } from '../window.js'

/** params: 1 limit, 2 window, 3 aligned, 4 offset */
export const fixedWindowLua = (): string =>
  windowLua(`
    if params[3] == 0 then return since + params[2] end
    return since - (since - params[4]) % params[2] + params[2]`)
