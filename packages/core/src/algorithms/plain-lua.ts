/**
 * The steps of an algorithm in Lua, written once for two uses: over tables, as functions; and over locals, as a part of a script that decides by them
 * without a call and without a table. So the texts name a cell as `row[1]` and a param as `params[1]`, with a number and nothing else, and the units
 * as `cost`. All other variables are local to them.
 */
export interface PlainLua {
  /** Statements that update the row to `now` and set `fits`. */
  readonly look: string
  /** Statements that take the cost. */
  readonly take: string
  /** Statements that set `ended` to the time at which the row means the same as a row of zeros. */
  readonly ends: string
  /** Definitions of the other steps, as fields of `steps`. They may call those of the texts above. */
  readonly others: string
}

/**
 * The steps over tables: an expression that evaluates to a table of functions.
 *
 * @param definitions Lua before all steps, which they may call
 */
export function functionsOf({ look, take, ends, others }: PlainLua, definitions = ''): string {
  return `(function()
  local steps = {}
  ${definitions}

  function steps.look(row, params, now, cost)
    local fits
    ${look}
    return fits
  end

  function steps.take(row, params, now, cost)
    ${take}
  end

  function steps.ends(row, params)
    local ended
    ${ends}
    return ended
  end

  ${others}
  return steps
end)()`
}

/** How a script names the variables of a policy whose steps are over locals. */
export interface LocalNames {
  readonly cell: (number: number) => string
  readonly param: (number: number) => string
  readonly fits: string
  readonly ended: string
  /** A name or a number. */
  readonly cost: string
}

/** The text of a step over locals, in a block of its own. */
export function overLocals(step: string, names: LocalNames): string {
  const text = step
    .replaceAll(/\brow\[(\d+)\]/g, (_, number: string) => names.cell(Number(number)))
    .replaceAll(/\bparams\[(\d+)\]/g, (_, number: string) => names.param(Number(number)))
    .replaceAll(/\b(fits|ended|cost)\b/g, (_, name: 'fits' | 'ended' | 'cost') => names[name])
  return `do ${text} end`
}

/** The twin of `quotientOf`: statements that set a variable. `a` and the divisor are below 2^40, so that a larger product can be divided in parts of 13 bits. */
export function quotientLua(quotient: string, a: string, b: string, divisor: string): string {
  return `if ${a} * ${b} < 2 ^ 53 then ${quotient} = math.floor(${a} * ${b} / ${divisor})
        else
          local rest, unit = 0, 2 ^ 52
          ${quotient} = 0
          while unit >= 1 do
            local part = rest * 2 ^ 13 + ${a} * (math.floor(${b} / unit) % 2 ^ 13)
            ${quotient} = ${quotient} * 2 ^ 13 + math.floor(part / ${divisor})
            rest = part % ${divisor}
            unit = unit / 2 ^ 13
          end
        end`
}
