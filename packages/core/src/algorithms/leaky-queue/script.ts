import { gcraLua } from '../gcra/script.js'
import { functionsOf } from '../plain-lua.js'

export const leakyQueueLua = (): string => `
-- row, and params 1 to 6: as for GCRA; 7 maxDelay, 8 the largest cost
(function()
  local steps = ${functionsOf(gcraLua())}
  local gcraLook, gcraRefund = steps.look, steps.refund

  function steps.look(row, params, now, cost)
    gcraLook(row, params, now, 0)
    return cost <= params[8] and now >= steps.backlogAtMost(row, params, params[7] * params[2])
  end

  function steps.refund(row, params, now, units, taken)
    if not taken then return gcraRefund(row, params, now, units) end
    if row[1] ~= taken.row[1] or row[2] ~= taken.row[2] or steps.isForeign(row, params) then return end
    steps.shorten(row, params, now, units * params[3])
  end

  return steps
end)()`
