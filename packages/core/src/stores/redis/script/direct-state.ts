import type { Reading } from '../../../algorithms/algorithm.js'

/** The properties of a policy that the script depends on. */
export interface DirectRule {
  readonly steps: Pick<Reading, 'id'>
  readonly moments: number
  readonly counts: number
  readonly views: number
  /** The number of params of its steps. */
  readonly params: number
}

/** A rule with its number in the script, from 1 on. */
export interface NumberedRule extends DirectRule {
  readonly number: number
  readonly isNamed: boolean
}

/** The bytes that precede a rule's cells in a state with names. */
export function headLua(rule: NumberedRule, argument: number): string {
  const { number, steps } = rule
  const width = steps.id > 127 ? storedOf(rule) : 0
  return `local head${number} = string.char(#ARGV[${argument}]) .. ARGV[${argument}] .. string.char(${steps.id}, ${width})`
}

export function readUnnamed(rule: NumberedRule): string {
  const lengths = sizes.map((size) => `length == ${1 + lengthOf(rule, size)}`)
  const reads = sizes.map((size) => readLua(rule, size, '2'))
  return `local length = #packed
    if byte(packed) ~= ${rule.steps.id} then isPlain = false
    ${each(sizes, (_, i) => `elseif ${lengths[i]} then ${reads[i]}`)}
    else isPlain = false end`
}

export function readNamed(rules: readonly NumberedRule[]): string {
  return `local at = 2
    isPlain = byte(packed) == 0
    ${each(rules, readPart)}
    isPlain = isPlain and at == #packed + 1`
}

function readPart(rule: NumberedRule): string {
  const { number: n } = rule
  return `if isPlain then
      local from = at + #head${n} + 2
      local low, high = byte(packed, from - 2, from - 1)
      local length = high and low + 256 * high or 0
      if sub(packed, at, from - 3) ~= head${n} or from + length > #packed + 1 then isPlain = false
      ${each(sizes, (size) => `elseif length == ${lengthOf(rule, size)} then ${readLua(rule, size, 'from')}`)}
      else isPlain = false end
      at = from + length
    end`
}

export function writeUnnamed(rule: NumberedRule): string {
  return `local value
      ${writeLua(rule, 'value', '<I1', () => rule.steps.id)}`
}

export function writeNamed(rules: readonly NumberedRule[]): string {
  const parts = rules.map(({ number: n }) => `head${n} .. cells${n}`)
  return `local ${rules.map(({ number: n }) => `cells${n}`).join(', ')}
      ${each(rules, (rule) => writeLua(rule, `cells${rule.number}`, '<I2', (size) => lengthOf(rule, size)))}
      local value = '\\0' .. ${parts.join(' .. ')}`
}

/** The possible sizes of a count in bytes. The largest count of a row determines the size of all its counts. */
const sizes: readonly number[] = [2, 4, 7]

function readLua(rule: NumberedRule, size: number, from: string): string {
  const cells = cellsOf(rule, storedOf(rule))
  return `${cells.join(', ')} = readCells('<${formatOf(rule, size)}', packed, ${from})`
}

/** Packs a row after a number that depends on the size of its counts. */
function writeLua(
  rule: NumberedRule,
  name: string,
  format: string,
  before: (size: number) => number,
): string {
  const cells = cellsOf(rule, storedOf(rule))
  const [count, ...others] = cells.slice(rule.moments)
  const written = sizes.map((size) => {
    const packed = [`'${format}${formatOf(rule, size)}'`, before(size), ...cells].join(', ')
    return `${name} = writeCells(${packed})`
  })
  return `do
        local most = ${others.length > 0 ? `max(${[count, ...others].join(', ')})` : count}
        if most < 65536 then ${written[0]}
        elseif most < 4294967296 then ${written[1]}
        else ${written[2]} end
      end`
}

function formatOf({ moments, counts }: DirectRule, size: number): string {
  return 'I6'.repeat(moments) + `I${size}`.repeat(counts)
}

function lengthOf({ moments, counts }: DirectRule, size: number): number {
  return 6 * moments + size * counts
}

export function storedOf({ moments, counts }: DirectRule): number {
  return moments + counts
}

export function cellsOf({ number }: NumberedRule, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `row${number}[${i + 1}]`)
}

export function list(length: number, item: (number: number) => string): string {
  return Array.from({ length }, (_, i) => item(i + 1)).join(', ')
}

export function each<T>(items: readonly T[], line: (item: T, i: number) => string): string {
  return items.map(line).join('\n    ')
}
