import { gcraLua } from '../gcra/script.js'
import { functionsOf } from '../plain-lua.js'

export const leakyQueueLua = (): string => `
-- row, and params 1 to 6: as for GCRA; 7 maxDelay, 8 the largest cost
(function()
  local steps = ${functionsOf(gcraLua())}
  local gcraLook = steps.look

  function steps.look(row, params, now, cost)
    gcraLook(row, params, now, 0)
    local room = params[7] * params[2] - row[2]
    return cost <= params[8] and now >= row[1] - math.floor(room / params[2])
  end

  return steps
end)()`
