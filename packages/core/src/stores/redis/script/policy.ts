import { overLocals, type PlainLua } from '../../../algorithms/plain-lua.js'
import { luaOf, plainLuaOf } from '../../../algorithms/scripts.js'
import { overrideWidth } from '../../override.js'

/** All of a policy that decides the text of a script. Its numbers and its name are arguments. */
export interface PolicyShape {
  /** The id of the algorithm. */
  readonly id: number
  /** The numbers of its cells: first the times, then the counts, then those that the steps compute for the answer, which are not stored. */
  readonly times: number
  readonly counts: number
  readonly extras: number
  readonly params: number
  /** Whether the params depend on the time, so that the steps may reject it. */
  readonly isDated: boolean
  readonly persistsOnDenial: boolean
  readonly blocksOn: 'reached' | 'exceeded' | undefined
  readonly recordKeyCount: number
  readonly hasLeases: boolean
  /** The number of the key that the policy counts. */
  readonly key: number
}

/** An override as it is stored. The first cells of a shorter one are those of a version that has no more. */
export const overrideFormat: string = `<I6I6I6I6${'I7'.repeat(overrideWidth - 4)}`
/** Behind a stored override: the cells that it does not have. */
export const noCells: string = String.raw`('\0'):rep(${7 * overrideWidth})`

/** The variables of its cells. */
const overrideCells = ['blocked_', 'length_', 'exempt_', 'till_', 'granted_', 'used_', 'paid_']

/** The parts of a script about one policy. */
export interface PolicyTexts extends Readonly<Record<TextName, string>> {
  readonly key: number
  /** @param at the number of the first of its two values in the list that Redis returns */
  readonly readAt: (at: number) => string
}

const textNames = [
  'declare',
  'date',
  'ask',
  'bind',
  'fields',
  'look',
  'fits',
  'overridden',
  'counted',
  'allows',
  'take',
  'deny',
  'answer',
  'answerOverride',
  'saved',
  'changed',
  'end',
  'row',
  'writeBlock',
  'keepRecords',
] as const

type TextName = (typeof textNames)[number]

export interface ScriptTexts {
  readonly parts: readonly PolicyTexts[]
  readonly nextArg: number
  readonly width: number
  readonly keysWidth: number
}

/** The numbers of the first argument of a policy, of its first cell in an answer, and of the first key of its records in a request. */
interface Place {
  readonly n: number
  readonly arg: number
  readonly answerAt: number
  readonly recordsAt: number
  readonly width: number
  readonly isShort: boolean
  /** Whether the cells and params of all policies are local variables. */
  readonly hasCells: boolean
  /** The variable of its cost. */
  readonly cost: string
}

/** A Lua function has at most 200 local variables. The variables of a longer list are fields of a table, and so are those of a long row. */
const mostWithLocals = 6
const mostCells = 16
const mostNumbers = 96

export function policyTexts(policies: readonly PolicyShape[], hasCosts: boolean): ScriptTexts {
  const widths = policies.map(({ times, counts, extras }) => times + counts + extras)
  const width = widths.reduce((sum, own) => sum + own, 1)
  const keyCount = new Set(policies.map(({ key }) => key)).size
  const place = { n: 0, arg: 3, answerAt: 1, recordsAt: keyCount, width }
  const isShort = policies.length <= mostWithLocals
  const numbers = policies.reduce((sum, { params }) => sum + params, width)
  const hasCells = numbers <= mostNumbers
  const parts = policies.map((policy, i) => {
    place.n++
    const texts = textsOf(policy, {
      ...place,
      isShort,
      hasCells,
      cost: hasCosts ? 'cost_' : 'cost',
    })
    place.arg += 2 + policy.params + (policy.blocksOn === undefined ? 0 : 3)
    place.answerAt += widths[i]
    place.recordsAt += policy.recordKeyCount
    return texts
  })
  return { parts, nextArg: place.arg, width, keysWidth: place.recordsAt }
}

/** In a text, `x_` is the variable x of the policy. A line that ends with a condition is left out if the policy does not meet it. */
function textsOf(policy: PolicyShape, place: Place): PolicyTexts {
  const { id, times, counts, extras, params, blocksOn, recordKeyCount, persistsOnDenial } = policy
  const { n, arg, answerAt, recordsAt, width, isShort, hasCells, cost } = place
  const stored = times + counts
  const plain = plainLuaOf(id)
  const isWide = stored > mostCells
  const conditions: Readonly<Record<string, boolean>> = {
    short: isShort,
    cells: hasCells,
    costs: cost === 'cost_',
    persists: persistsOnDenial,
    reached: blocksOn === 'reached',
    exceeded: blocksOn === 'exceeded',
    blocks: blocksOn !== undefined,
    records: recordKeyCount > 0,
    dated: policy.isDated,
  }
  function fill(text: string): string {
    const lines = text.split('\n').flatMap((line) => {
      const [code, names] = line.split(' --? ')
      return names === undefined || names.split(' ').every((name) => conditions[name]) ? [code] : []
    })
    return lines
      .join('\n')
      .replaceAll(/\b([a-z]+\d+x)_(?!\w)/g, `${hasCells ? '' : 'all.'}$1${n}`)
      .replaceAll(/\b([a-z]+)_(?!\w)/g, `${isShort ? '' : 'all.'}$1${n}`)
  }

  const numbers = list(params, (i) => `ARGV[${arg + 1 + i}] + 0`).join(', ')
  const names = list(stored + extras, (i) =>
    plain === undefined ? `row_[${i}]` : fill(`cell${i}x_`),
  )
  const steps =
    plain === undefined
      ? overTables(policy, numbers)
      : overVariables(plain, params, numbers, names, fill)
  const stores = names.slice(0, stored)
  const [small, large] = [4, 7].map((size) => {
    const format = `'<${'I6'.repeat(times)}${`I${size}`.repeat(counts)}'`
    const read = isWide
      ? `row_ = { cells(${format}, packed) }`
      : `${stores.join(', ')} = cells(${format}, packed)`
    return { format, read: `if packed and #packed == ${6 * times + size * counts} then ${read}` }
  })
  const zeros = isWide
    ? `for i = 1, ${stored} do row_[i] = 0 end`
    : `${stores.join(', ')} = ${stores.map(() => '0').join(', ')}`
  const packed = isWide
    ? `pack(${large.format}, unpack(row_, 1, ${stored}))`
    : `pack(${stores.slice(times).join(' + ')} < 4294967296 and ${small.format} or ${large.format}, ${stores.join(', ')})`
  const answer = isWide
    ? `for i = 1, ${stored + extras} do reply[size + ${answerAt} + i] = row_[i] end`
    : names.map((name, i) => `reply[size + ${answerAt + i + 1}] = ${name}`).join('\n')
  const [blockFor, escalate, longest] = list(3, (i) => `(ARGV[${arg + 1 + params + i}] + 0)`)
  // If the last block ended recently, the new one is longer.
  const start = `local long = ${blockFor} if length_ > 0 and now < blocked_ + length_ then long = math.min(${longest}, math.floor(length_ * ${escalate})) end
          blocked_, length_, exempt_, starts_ = now + long, long, 0, true`
  // Whether the grant has the whole cost.
  const paid = `(granted_ - used_ >= math.max(1, ${cost}))`
  const texts: Record<TextName, string> = {
    declare: `
local fits_, saved_, starts_, fresh_, ${overrideCells.join(', ')}, ended_, cost_ --? short
cost_ = 1 --? costs
${steps.declare}
`,
    date: `
    for i = 1, ${params} do params_[i] = ARGV[nextArg + i - 1] + 0 end --? dated
    nextArg = nextArg + ${params} --? dated
`,
    ask: `cost_, nextArg = ARGV[nextArg] + 0, nextArg + 1`,
    bind: `
    records_ = { ${list(recordKeyCount, (i) => `KEYS[at + ${recordsAt + i}]`).join(', ')} } --? records
    bound_ = steps_.bind(records_, lease) --? records
`,
    fields: `ARGV[${arg}], ARGV[${arg + 1}]`,
    look: `
    ${[...names.slice(stored), 'paid_'].map((name) => `${name} = 0`).join('; ')}
    ${steps.look(cost)}
`,
    fits: 'fits_',
    overridden: 'blocked_ > 0 or exempt_ > 0 or till_ > 0',
    counted: `${cost} > 0 and exempt_ <= now`,
    allows: `(exempt_ > now or blocked_ <= now and (fits_ or ${paid}))`,
    take: `
        if ${cost} > 0 and exempt_ <= now and not failure then
          if fits_ then
            ${steps.take.replaceAll('COST', cost)}
            saved_ = true
          else used_, paid_, starts_ = used_ + ${cost}, ${cost}, true end
          ${blocksOn === 'reached' ? `${steps.look('1')}\n          if not fits_ and granted_ - used_ < 1 then ${start} end\n          fits_ = true` : ''}
        end
        if fresh_ then saved_, fresh_ = true, false end --? persists
`,
    // A bucket is saved again when a block starts, because it must not expire during the block.
    deny: `
        if fresh_ then saved_, fresh_ = true, false end --? persists
        ${blocksOn === 'exceeded' ? `if not fits_ and not ${paid} and blocked_ <= now and exempt_ <= now then ${start}${persistsOnDenial ? ' saved_ = true' : ''} end` : ''}
`,
    answer,
    answerOverride: overrideCells
      .map((cell, i) => `reply[size + ${width + overrideWidth * (n - 1) + i + 1}] = ${cell}`)
      .join('\n'),
    saved: 'saved_',
    changed: 'saved_ or starts_',
    end: `
    if saved_ then
      ${steps.ends}
      if ended_ > ends then ends = ended_ end
    end
`,
    row: `ARGV[${arg}], ${packed}`,
    writeBlock: `
    if starts_ then
      ends = math.max(ends, blocked_ + length_, exempt_, till_)
      written = call('HSET', key${policy.key}, ARGV[${arg + 1}], pack('${overrideFormat}', ${overrideCells.join(', ')}))
    end
`,
    keepRecords: `
      for i = 1, saved_ and #records_ or 0 do call('PEXPIRE', records_[i], text('%d', ended_ - now + margin)) end --? records
`,
  }
  /** The first two of these values of the hash are those of the policy. */
  const readAt = (at: number) => `
    saved_, starts_, ${overrideCells.join(', ')} = false, false, ${overrideCells.map(() => '0').join(', ')}
    do
      local packed, other = values[${at}], values[${at + 1}]
      ${small.read}
      else${large.read}
      else ${zeros} end
      if other then ${overrideCells.join(', ')} = cells('${overrideFormat}', other .. ${noCells}) end
      if till_ <= now then till_, granted_, used_ = 0, 0, 0 end
      isKnown${policy.key} = isKnown${policy.key} or packed or other
    end
    ${persistsOnDenial ? steps.ends : ''}
    fresh_ = ended_ <= now and exempt_ <= now --? persists
`
  for (const name of textNames) texts[name] = fill(texts[name])
  return {
    ...texts,
    readAt: (at: number) => fill(readAt(at)),
    key: policy.key,
  }
}

interface StepTexts {
  readonly declare: string
  readonly look: (cost: string) => string
  readonly take: string
  readonly ends: string
}

/** The steps as a part of the script, with the cells and params in variables. */
function overVariables(
  plain: PlainLua,
  params: number,
  numbers: string,
  cells: readonly string[],
  fill: (text: string) => string,
): StepTexts {
  const names = {
    cell: (i: number) => cells[i - 1],
    param: (i: number) => fill(`param${i}x_`),
    fits: 'fits_',
    ended: 'ended_',
  }
  const given = list(params, names.param).join(', ')
  return {
    declare: `local ${given}, ${cells.join(', ')} --? cells\n${given} = ${numbers}`,
    look: (cost) => overLocals(plain.look, { ...names, cost }),
    take: overLocals(plain.take, { ...names, cost: 'COST' }),
    ends: overLocals(plain.ends, { ...names, cost: 'COST' }),
  }
}

/** The steps as functions. They may raise errors only if they have records or dates. */
function overTables({ id, recordKeyCount, isDated }: PolicyShape, numbers: string): StepTexts {
  const steps = recordKeyCount > 0 ? 'bound_' : 'steps_'
  function run(step: string, cost: string): string {
    const args = `row_, params_, now, ${cost}`
    if (recordKeyCount === 0 && !isDated) return `fits_ = ${steps}.${step}(${args})`
    return `if not failure then
      local ok, result = pcall(${steps}.${step}, ${args})
      if ok then fits_ = result else failure = tostring(result) end
    end`
  }
  return {
    declare: `local steps_, params_, row_, records_, bound_ --? short
steps_, params_, row_ = ${luaOf(id)}, { ${numbers} }, {}`,
    look: (cost) => run('look', cost),
    take: `local fits = fits_ ${run('take', 'COST')} fits_ = fits`,
    ends: 'ended_ = steps_.ends(row_, params_)',
  }
}

function list(length: number, item: (number: number) => string): string[] {
  return Array.from({ length }, (_, i) => item(i + 1))
}
