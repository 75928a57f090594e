import type { Duration, Keys, Limiter, PolicyChoice } from '@sluice/core'
import {
  checked,
  checkedIfGiven,
  isCount,
  isText,
  readOptions,
  shortDuration,
  sluiceError,
} from '@sluice/core/internal'
import { refusal } from '../refusal.js'
import type { Act } from '../view.js'

/** The body of an act. */
export interface ActRequest {
  readonly limiter: string
  readonly key: string
  readonly act: Act
  readonly length?: Duration
  readonly units?: number
  readonly reason: string
}

const acts: readonly Act[] = [
  ...(['block', 'unblock', 'reset', 'penalize'] as const),
  ...(['exempt', 'unexempt', 'grant', 'ungrant'] as const),
]

const needsLength: ReadonlySet<Act> = new Set(['block', 'exempt', 'grant'])
const needsUnits: ReadonlySet<Act> = new Set(['penalize', 'grant'])

const longestReason = 500

const where = 'POST api/act'

const aDuration = "a duration of at most ten years, such as '10m'"
const units = 'a whole number, 1 or more'

const readers = {
  limiter: checked('the name of a limiter', isText),
  key: checked('a key', isText),
  act: checked<Act>(acts.map((act) => `'${act}'`).join(' or '), isAct),
  length: checkedIfGiven(aDuration, (value) => shortDuration.read(value) !== undefined),
  units: checkedIfGiven(units, (value) => isCount(value) && value > 0),
  reason: checked(`a text of 1 to ${longestReason} characters`, isReason),
}

/**
 * Reads the body of a request.
 *
 * @throws SluiceError if a member is missing, unknown or invalid
 */
export function readAct(body: Readonly<Record<string, unknown>>): ActRequest {
  const { limiter, key, act, reason } = readOptions(where, body, readers)
  const request = { ...body, limiter, key, act, reason } as ActRequest
  if (needsLength.has(act) && request.length === undefined) missing('length', aDuration)
  if (needsUnits.has(act) && request.units === undefined) missing('units', units)
  return request
}

function missing(member: string, expected: string): never {
  throw sluiceError('SLUICE_OPTION_MISSING', where, member, expected)
}

/** Carries out an act on a key. */
export async function carryOutAct(
  limiter: Limiter,
  { act, length = 0, units = 0 }: ActRequest,
  keys: Keys,
  options: PolicyChoice | undefined,
): Promise<void> {
  switch (act) {
    case 'block':
      await limiter.block(keys, length, options)
      return
    case 'unblock':
      await limiter.unblock(keys, options)
      return
    case 'reset':
      if (!(await limiter.reset(keys, options))) throw refusal('SLUICE_VIEW_KEY_BLOCKED')
      return
    case 'penalize':
      await limiter.penalize(keys, units, options)
      return
    case 'exempt':
      await limiter.exempt(keys, length, options)
      return
    case 'unexempt':
      await limiter.unexempt(keys, options)
      return
    case 'grant':
      await limiter.grant(keys, units, { ...options, for: length })
      return
    case 'ungrant':
      await limiter.ungrant(keys, options)
  }
}

function isAct(value: unknown): value is Act {
  return acts.some((act) => act === value)
}

function isReason(value: unknown): value is string {
  return isText(value) && value.trim() !== '' && value.length <= longestReason
}
