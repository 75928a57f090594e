import {
  byKey,
  formatOf,
  isWide,
  lengthOf,
  lines,
  policyTable,
  setToZero,
  sizes,
  storedOf,
  type NumberedPlan,
  type NumberedPolicy,
} from './policies.js'
import { someCounts } from './decide.js'
import { assign, passed } from './long-lists.js'

/** The policies of one key of a request, and the number of the argument before its formats. */
export interface KeyPlan {
  readonly key: number
  readonly policies: readonly NumberedPolicy[]
  readonly formatArg: number
  readonly plan: NumberedPlan
}

export function keysOf(plan: NumberedPlan): readonly KeyPlan[] {
  return byKey(plan.policies).map((policies, i) => ({
    key: i + 1,
    policies,
    formatArg: plan.formatArgs[i],
    plan,
  }))
}

/** Creates what decides about states in any form, before it is needed for the first time. */
function openRest({ policies }: NumberedPlan): string {
  return `if not rest then rest, policies, time = openRest(), { ${policies.map(policyTable).join(', ')} }, {} end
      time.now, time.margin = now, margin`
}

/** Reads the state of a key into the cells of its policies. A state of exactly these rows is read at once, by its length. */
export function readState(keyPlan: KeyPlan): string {
  const { key, policies, plan } = keyPlan
  const isRead = policies.some(isWide) ? 'local isRead = false' : readPlain(keyPlan)
  return `
  local packed${key}, state${key} = call('GET', key${key}), nil
  if not packed${key} then
    ${lines(policies, (policy) => setToZero(policy, 0, storedOf(policy)))}
  else
    ${isRead}
    if not isRead and type(packed${key}) == 'table' then failure = failure or packed${key}.err
    elseif not isRead then
      ${openRest(plan)}
      local ok, found = pcall(rest.parse, packed${key}, key${key}, serverMs)
      if ok then
        local isPlain, row, isFound = #found == ${policies.length}, nil, nil
        ${lines(policies, findRow)}
        -- The same rows in another order, or of other sizes, are written as if they had been read at once.
        if not isPlain then state${key} = found end
      else failure = failure or tostring(found) end
    end
  end`
}

function findRow(policy: NumberedPolicy): string {
  const { n, stored } = policy
  const cells = stored.map((_, i) => `row[${i + 1}]`)
  const assign = isWide(policy) ? `row${n} = row` : `${stored.join(', ')} = ${cells.join(', ')}`
  return `row, blockEnd${n}, blockLength${n}, resets${n}, isFound = rest.find(found, policies[${n}], time)
    ${assign}
    isPlain = isPlain and isFound`
}

/** Declares `isRead`. */
function readPlain({ key, policies, formatArg, plan }: KeyPlan): string {
  const [first] = policies
  const stored = policies.flatMap((policy) => policy.stored)
  const branches = sizes.map((size, i) => {
    const length = policies.reduce((sum, policy) => sum + lengthOf(policy, size), 0)
    const branch = i === 0 ? 'if' : 'elseif'
    if (!first.isNamed) {
      return `${branch} #packed${key} == ${1 + length} then first, ${stored.join(', ')} = readCells('<B${formatOf(first, size)}', packed${key})`
    }
    const cells = policies.flatMap((policy) => [
      `found${policy.n}`,
      `length${policy.n}`,
      ...policy.stored,
    ])
    const lengths = policies.map(
      (policy) =>
        `length${policy.n} == ${lengthOf(policy, size)} and head${policy.n} == found${policy.n}`,
    )
    const read = `readCells(ARGV[${formatArg + i + 1}], packed${key})`
    return `${branch} #packed${key} == heads${key} + ${length} then
      ${assign(['first', ...cells], read, plan.shape)}
      isRead = first == 0 and ${lengths.join(' and ')}`
  })
  if (!first.isNamed) {
    return `local first
    ${branches.join('\n    ')}
    end
    local isRead = first == ${first.id}`
  }
  return `local isRead, first = false, nil
    ${lines(policies, ({ n }) => `local found${n}, length${n}`)}
    ${branches.join('\n    ')}
    end`
}

/**
 * Writes the state of a key, if a policy of it has changed. If all of its rows are new, they are packed at once. `isTaken`: the variable that says so for
 * all policies, if none of them is written alone.
 */
export function writeState(keyPlan: KeyPlan, isTaken: string | undefined): string {
  const { key, policies, plan } = keyPlan
  const saved = policies.map(({ n }) => `saved${n}`)
  const starts = policies.flatMap(({ n, blocksOn }) => (blocksOn ? [`starts${n}`] : []))
  // Another key may have taken the units.
  const taken =
    byKey(plan.policies).length === 1 ? isTaken : `${isTaken} and (${someCounts(policies)})`
  const some = isTaken === undefined ? [...saved, ...starts].join(' or ') : taken
  const all = [
    ...(isTaken === undefined ? saved : []),
    ...starts.map((start) => `not ${start}`),
    ...policies.map(({ n }) => `ended${n} > now`),
  ]
  const ends = policies.map(({ n }) => `ended${n}`)
  const latest = ends.length === 1 ? ends[0] : `math.max(${passed(ends, plan.shape)})`
  const withRecords = policies.filter((policy) => policy.recordKeyCount > 0)
  const plain = policies.some(isWide)
    ? ''
    : `if not state${key} and ${all.join(' and ')} then
      ${packPlain(keyPlan)}
    end`
  return `
  if ${some} then
    ${lines(policies, (policy) => policy.ends)}
    local value
    ${plain}
    if value then
      failed = call('SET', key${key}, value, 'PX', string.format('%d', ${latest} - now + margin)).err
      ${lines(
        withRecords,
        ({ n }) => `local life${n} = string.format('%d', ended${n} - now + margin)
      for i = 1, #recordKeys${n} do call('PEXPIRE', recordKeys${n}[i], life${n}) end`,
      )}
    else
      ${openRest(plan)}
      local ok, err = pcall(rest.write, state${key} or rest.parse(packed${key}, key${key}, serverMs), time, {
        ${lines(policies, (policy) => `${changeOf(policy, isTaken === undefined)},`)}
      })
      if not ok then failed = tostring(err) end
    end
  end`
}

function packPlain({ policies, formatArg, plan }: KeyPlan): string {
  const [first] = policies
  const counts = policies.flatMap(({ stored, times }) => stored.slice(times))
  const most = counts.length > 1 ? `math.max(${passed(counts, plan.shape)})` : counts.join()
  const values = sizes.map((size, i) => {
    if (!first.isNamed) {
      return `value = writeCells('<B${formatOf(first, size)}', ${[first.id, ...first.stored].join(', ')})`
    }
    const parts = policies.flatMap((policy) => [
      `head${policy.n}`,
      `${lengthOf(policy, size)}`,
      ...policy.stored,
    ])
    return `value = writeCells(ARGV[${formatArg + i + 1}], 0, ${passed(parts, plan.shape)})`
  })
  return `local most = ${most}
      if most < 65536 then ${values[0]}
      elseif most < 4294967296 then ${values[1]}
      else ${values[2]} end`
}

function changeOf(policy: NumberedPolicy, isSavedAlone: boolean): string {
  const { n, stored, recordKeyCount, blocksOn } = policy
  const row = isWide(policy) ? `row${n}` : `{ ${stored.join(', ')} }`
  const isSaved = isSavedAlone ? `saved${n}` : `blockEnd${n} >= 0`
  return `{
          policy = policies[${n}], row = ${isSaved} and ${row} or false, ends = ended${n}, recordKeys = ${recordKeyCount > 0 ? `recordKeys${n}` : 'false'},
          blocked = ${blocksOn ? `starts${n} and blockEnd${n}` : 'false'}, length = blockLength${n},
        }`
}
