/** ⌊a × b / divisor⌋, exactly, even if the product is too large for a number. The quotient must be below 2^53. */
export function quotientOf(a: number, b: number, divisor: number): number {
  const product = a * b
  if (product < 2 ** 53) return Math.floor(product / divisor)
  return Number((BigInt(a) * BigInt(b)) / BigInt(divisor))
}
