import type { Receipt } from './receipt.js'
import { sluiceError } from '../../errors.js'
import { contractVersion } from '../../stores/store.js'

/** A copy of this package in the application. Only the copy that made a decision can read its receipt. */
interface Copy {
  readonly contract: number
  readonly receiptOf: (value: unknown) => Receipt | undefined
}

/** The data that all copies of this package in the process share. */
interface Shared {
  readonly copies: Copy[]
  /** The policies of each request that were refunded, by their positions. A second refund does nothing, no matter which limiter is called. */
  readonly refunded: WeakMap<object, Set<number>>
}

const sharedName = Symbol.for('@sluice/core:receipts')

function shared(): Shared {
  const known: unknown = Reflect.get(globalThis, sharedName)
  if (isShared(known)) return known
  const made: Shared = { copies: [], refunded: new WeakMap() }
  Object.defineProperty(globalThis, sharedName, { value: made })
  return made
}

function isShared(value: unknown): value is Shared {
  return typeof value === 'object' && value !== null && 'copies' in value && 'refunded' in value
}

/** Lets other copies read the receipts of this one. */
export function shareReceipts(receiptOf: Copy['receiptOf']): void {
  const { copies } = shared()
  if (copies.some((copy) => copy.receiptOf === receiptOf)) return
  copies.push({ contract: contractVersion, receiptOf })
}

/**
 * The receipt of a decision that another copy made.
 *
 * @throws SluiceError SLUICE_DECISION_FOREIGN if the version of that copy has another contract
 */
export function receiptOfOtherCopy(limiter: string, value: unknown): Receipt | undefined {
  for (const { contract, receiptOf } of shared().copies) {
    const receipt = receiptOf(value)
    if (receipt === undefined) continue
    if (contract === contractVersion) return receipt
    const maker = `another version of @sluice/core (contract ${contract}; this copy has ${contractVersion})`
    throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, maker)
  }
  return undefined
}

/** Marks policies of a request as refunded, by their positions. Returns those that were not refunded before. */
export function markRefunded(request: object, positions: readonly number[]): readonly number[] {
  const { refunded } = shared()
  const known = refunded.get(request)
  if (known === undefined) {
    refunded.set(request, new Set(positions))
    return positions
  }
  const left = positions.filter((position) => !known.has(position))
  for (const position of left) known.add(position)
  return left
}
