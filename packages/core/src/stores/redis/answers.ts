import type { Row } from '../../algorithms/algorithm.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { isList } from '../../options/predicates.js'
import type { Answer, State, StoreRequest } from '../store.js'

/** The order and the sizes of the parts of a reply. */
export interface ReplyLayout {
  /** The number of cells of each policy's row. */
  readonly widths: readonly number[]
  /** For each row, the index of its policy in a request. */
  readonly order: readonly number[]
}

/** The answer to a request whose params were made for another time than the server's. The script did nothing. */
export const stale: SluiceError = sluiceError(
  'SLUICE_STORE_FAILED',
  'redis',
  'its clock is far from ours',
)

/** Decodes the reply of a script. The caller has checked that the call was not late. */
export function decodeAnswers(
  reply: readonly unknown[],
  layout: ReplyLayout,
  requests: readonly StoreRequest[],
  /** For each answer, the index of its request, if the answers have another order. */
  requestOrder?: readonly number[],
): Answer[] {
  const { widths, order } = layout
  let rowsWidth = 0
  for (const width of widths) rowsWidth += width
  const answers: Answer[] = []
  let at = 1
  for (let nth = 0; nth < requests.length; nth++) {
    const code = reply[at++]
    const i = requestOrder === undefined ? nth : requestOrder[nth]
    if (typeof code !== 'number') {
      answers[i] = String(code) === 'STALE' ? stale : failureIn(code)
      continue
    }
    const now = requests[i].now ?? Number(reply[0])
    const [hasBlocks, hasResets] = [(code & 2) !== 0, (code & 4) !== 0]
    const endsAt = at + rowsWidth
    const resetsAt = hasBlocks ? endsAt + widths.length : endsAt
    const states: State[] = []
    for (let policy = 0; policy < widths.length; policy++) {
      const row = rowAt(reply, at, widths[policy])
      at += widths[policy]
      const blockedUntil = hasBlocks ? Number(reply[endsAt + policy]) : 0
      states[order[policy]] = hasResets
        ? { row, blockedUntil, now, resets: Number(reply[resetsAt + policy]) }
        : { row, blockedUntil, now }
    }
    answers[i] = { allowed: (code & 1) === 1, states }
    at = hasResets ? resetsAt + widths.length : resetsAt
  }
  return answers
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
