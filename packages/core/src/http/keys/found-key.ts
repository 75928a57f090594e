import { sluiceError, type SluiceError } from '../../errors.js'
import {
  isKeyPart,
  isNotLimited,
  type Key,
  type KeyPartValue,
  type NotLimited,
} from '../../keys.js'
import { isList } from '../../options/predicates.js'
import { isCoded } from './coded-parts.js'
import { watchKeys } from '../mistakes.js'
import type { RequestView } from '../request/request-view.js'
import { isSent } from './sent-lists.js'

/** Checks the return values of the key functions of one limiter, or of one of its policies. */
export interface KeyChecks {
  /** @throws SluiceError SLUICE_KEY_INVALID if the value is not a key, or is a list that the client has sent */
  key(found: unknown, view: RequestView<unknown>): Key | NotLimited
  /** @throws SluiceError SLUICE_KEY_INVALID if one of the values is not a part of a key */
  parts(found: readonly unknown[]): Key | NotLimited
}

/** @param policy the name of the policy, if each policy has its own key */
export function createKeyChecks(limiter: string, policy?: string): KeyChecks {
  const watch = watchKeys()

  function invalid(value: unknown, part?: number, advice?: string): SluiceError {
    return sluiceError('SLUICE_KEY_INVALID', `limiter "${limiter}"`, value, {
      part,
      policy,
      advice,
    })
  }

  return {
    key(found, view) {
      if (isNotLimited(found) || isCoded(found)) return found
      if (typeof found === 'string') {
        watch(found)
        return found
      }
      if (isKeyList(found)) {
        if (isSent(found, view.sent ?? [])) throw invalid(found, undefined, sentAdvice)
        for (const part of found) watch(part)
        return found
      }
      throw invalid(found, undefined, typeof found === 'object' ? recordAdvice : undefined)
    },

    parts(found) {
      const parts: KeyPartValue[] = []
      for (const [i, value] of found.entries()) {
        if (isNotLimited(value)) return value
        if (isCoded(value)) parts.push(...value)
        else if (isKeyPart(value)) parts.push(value)
        else throw invalid(value, i + 1)
        watch(value)
      }
      return parts
    },
  }
}

const sentAdvice =
  'The client sent this list, and could choose the number of parts of the key. Pass a value that a client sends as one part of a list: ' +
  "key: ['name', (req) => req.body.name]"

const recordAdvice =
  'A key function returns one key. Pass keys for several policies as the option itself: key: { user: byUser(…), address: byIp() }'

// The limiter checks the parts, and names the wrong one.
function isKeyList(found: unknown): found is readonly KeyPartValue[] {
  return isList(found)
}
