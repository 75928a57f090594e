import type { Row } from '../../algorithms/algorithm.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { isList } from '../../options/predicates.js'
import { overrideOf, overrideWidth } from '../override.js'
import type { Answer, State, StoreRequest } from '../store.js'

/** The answer to a request whose params were made for another time than the server's. The script did nothing. */
export const stale: SluiceError = sluiceError(
  'SLUICE_STORE_FAILED',
  'redis',
  'its clock is far from ours',
)

/**
 * Decodes the reply of a script. The caller has checked that the call was not late.
 *
 * @param widths the number of cells of each policy's row
 */
export function decodeAnswers(
  reply: readonly unknown[],
  widths: readonly number[],
  requests: readonly StoreRequest[],
): Answer[] {
  let at = 1
  return requests.map((request): Answer => {
    const code = reply[at++]
    if (typeof code !== 'number') return String(code) === 'STALE' ? stale : failureIn(code)
    const now = request.now ?? Number(reply[0])
    const states: State[] = []
    for (const width of widths) {
      states.push({ row: rowAt(reply, at, width), override: undefined, now })
      at += width
    }
    const allowed = (code & 1) === 1
    if ((code & 2) === 0) return { allowed, states }
    return {
      allowed,
      states: states.map(({ row, now }) => {
        const override = overrideOf(rowAt(reply, at, overrideWidth))
        at += overrideWidth
        return { row, override, now }
      }),
    }
  })
}

/** `readReply` has already converted the cells to numbers. */
function rowAt(reply: readonly unknown[], at: number, width: number): Row {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checking each cell again would take longer than the rest of the decoding
  return reply.slice(at, at + width) as Row
}

/** `message` is unknown because a client may return a string as a buffer. */
function failureIn(message: unknown): Answer {
  return sluiceError('SLUICE_STORE_FAILED', 'redis', String(message))
}

/**
 * Converts the numbers of a script's reply to JavaScript numbers. A client may be configured to return strings, buffers or bigints: ioredis with
 * `stringNumbers`, node-redis with a type mapping. Returns undefined if no Sluice script can have sent the reply.
 */
export function readReply(reply: unknown): readonly unknown[] | undefined {
  const items: readonly unknown[] = isList(reply) ? reply : []
  const read = typeof items[0] === 'number' ? items : items.map(readItem)
  // The first item is the server's time, which updates the server clock.
  return Number.isSafeInteger(read[0]) ? read : undefined
}

/** The text of an error contains letters, so it remains a string. */
function readItem(item: unknown): unknown {
  const text = String(item)
  return /^-?\d+$/.test(text) ? Number(text) : text
}
