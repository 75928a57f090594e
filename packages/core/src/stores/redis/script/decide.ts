import {
  isWide,
  lines,
  storedOf,
  setToZero,
  widthOf,
  type NumberedPlan,
  type NumberedPolicy,
} from './policies.js'

/** Whether a decision writes all policies of a plan or none: no block, no records, and no row that a denial saves. */
export function isAllOrNone({ policies, shape }: NumberedPlan): boolean {
  const isPlain = (policy: NumberedPolicy) =>
    !policy.persistsOnDenial && policy.blocksOn === undefined && !policy.raises
  return !shape.hasCosts && policies.every(isPlain)
}

/** Whether one of these policies is not exempt: the end of an exemption is a negative `blockEnd`. */
export function someCounts(policies: readonly NumberedPolicy[]): string {
  return policies.map(({ n }) => `blockEnd${n} >= 0`).join(' or ')
}

/** Declares what a decision knows of each policy beside its cells. */
export function declareDecision(plan: NumberedPlan): string {
  const isAll = isAllOrNone(plan)
  const each = lines(plan.policies, ({ n, blocksOn }) => {
    const saved = isAll ? '' : `, saved${n}`
    const starts = blocksOn === undefined ? '' : `, starts${n}`
    return `local blockEnd${n}, blockLength${n}, resets${n} = 0, 0, false
    local fits${n}${saved}${starts}`
  })
  return `local failure, failed
    ${each}
    ${isAll ? 'local isTaken = false' : ''}`
}

/** Declares whether the first request of a key saves its row in any case. After the states have been read. */
export function declareInitial({ policies }: NumberedPlan): string {
  const persisting = policies.filter(({ persistsOnDenial }) => persistsOnDenial)
  return lines(
    persisting,
    ({ n, ends }) => `local isInitial${n} = false
  if not failure then
    ${ends}
    isInitial${n} = ended${n} <= now and blockEnd${n} >= 0
  end`,
  )
}

/** Decides one request, all or nothing, and appends the answer to the reply. */
export function decide(plan: NumberedPlan): string {
  const { policies } = plan
  const raises = policies.some((policy) => policy.raises)
  return `
    ${lines(policies, (policy) => setToZero(policy, storedOf(policy), widthOf(policy)))}
    ${lines(policies, (policy) => policy.look(policy.cost))}
    ${raises ? 'if not failure then' : ''}
    local allowed = ${policies.map(({ n }) => `fits${n}`).join(' and ')}
    if ${policies.map(({ n }) => `blockEnd${n} ~= 0`).join(' or ')} then
      ${lines(policies, ({ n }) => `if blockEnd${n} < 0 then fits${n} = true end`)}
      allowed = ${policies.map(({ n }) => `fits${n} and blockEnd${n} <= now`).join(' and ')}
    end
    ${assertMemory(plan)}
    if not isPeek and not failure then
      if allowed then
        ${isAllOrNone(plan) ? takeAll(plan) : lines(policies, takeOne)}
      ${isAllOrNone(plan) ? '' : `else\n        ${lines(policies, deny)}`}
      end
    end
    ${append(policies)}
    ${raises ? 'end' : ''}`
}

/** If memory is full, a request with records writes nothing: after a deletion as the first write, Redis would accept all others. */
function assertMemory({ policies }: NumberedPlan): string {
  if (!policies.some(({ recordKeyCount }) => recordKeyCount > 0)) return ''
  const costs = policies.map(({ n, cost }) => `${cost} > 0 and blockEnd${n} >= 0`)
  return `if allowed and not isPeek and (${costs.join(' or ')}) then
      local answer = call('SET', key1, '', packed1 and 'NX' or 'XX')
      if type(answer) == 'table' then failure = answer.err end
    end`
}

function takeAll({ policies }: NumberedPlan): string {
  const [only, ...others] = policies
  const takes =
    others.length === 0
      ? only.take
      : lines(
          policies,
          ({ n, take }) => `if blockEnd${n} >= 0 then
            ${take}
          end`,
        )
  return `if cost > 0 and (${someCounts(policies)}) then
          ${takes}
          isTaken = true
        end`
}

function takeOne(policy: NumberedPolicy): string {
  const { n, cost, take, raises, blocksOn, persistsOnDenial } = policy
  const counts = `${cost} > 0 and blockEnd${n} >= 0`
  const isTaken = raises ? `not failure and ${counts}` : counts
  const block = `${policy.look('1')}
          if not fits${n} then
            ${startBlock(n, policy.blockArg)}
          end
          fits${n} = true`
  return `if ${isTaken} then
          ${take}
          ${raises ? `saved${n} = saved${n} or not failure` : `saved${n} = true`}
          ${blocksOn === 'reached' ? block : ''}
        end
        ${persistsOnDenial ? saveInitial(n) : ''}`
}

function deny({ n, blockArg, blocksOn, persistsOnDenial }: NumberedPolicy): string {
  const block = `if not fits${n} and blockEnd${n} <= now then
          ${startBlock(n, blockArg)}
          ${
            persistsOnDenial
              ? `-- Saved again, because a bucket must not expire during a block.
          saved${n} = true`
              : ''
          }
        end`
  return `${persistsOnDenial ? saveInitial(n) : ''}
        ${blocksOn === 'exceeded' ? block : ''}`
}

function saveInitial(n: number): string {
  return `if isInitial${n} then saved${n}, isInitial${n} = true, false end`
}

/** If the last block ended recently, the new one is longer. */
function startBlock(n: number, arg: number): string {
  const [first, escalate, most] = [1, 2, 3].map((i) => `(ARGV[${arg + i}] + 0)`)
  return `local long = ${first}
            if blockLength${n} > 0 and now < blockEnd${n} + blockLength${n} then
              long = math.min(${most}, math.floor(blockLength${n} * ${escalate}))
            end
            blockEnd${n}, blockLength${n}, starts${n} = now + long, long, true`
}

function append(policies: readonly NumberedPolicy[]): string {
  let offset = 1
  const cells = lines(policies, (policy) => {
    const from = offset
    offset += widthOf(policy)
    if (!isWide(policy)) {
      return lines(policy.cells, (cell, i) => `reply[size + ${from + i + 1}] = ${cell}`)
    }
    return `for i = 1, ${widthOf(policy)} do reply[size + ${from} + i] = row${policy.n}[i] end`
  })
  const count = policies.length
  return `${cells}
    local code, at = allowed and 1 or 0, size + 1
    size = size + ${offset}
    if ${policies.map(({ n }) => `blockEnd${n} ~= 0`).join(' or ')} then
      code = code + 2
      ${lines(policies, ({ n }) => `reply[size + ${n}] = blockEnd${n}`)}
      size = size + ${count}
    end
    if ${policies.map(({ n }) => `resets${n}`).join(' or ')} then
      code = code + 4
      ${lines(policies, ({ n }) => `reply[size + ${n}] = resets${n} or 0`)}
      size = size + ${count}
    end
    reply[at] = code`
}
