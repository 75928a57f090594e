/** ⌊a × b / divisor⌋, exactly, even if the product is too large for a number. The quotient must be below 2^53. */
export function quotientOf(a: number, b: number, divisor: number): number {
  const product = a * b
  if (product < 2 ** 53) return Math.floor(product / divisor)
  return Number((BigInt(a) * BigInt(b)) / BigInt(divisor))
}

/** Its twin in Lua: statements that set a variable. `a` and the divisor are below 2^40, so that a larger product can be divided in parts of 13 bits. */
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
