import type { BodiedAlgorithm, BodiedSteps, Lease } from '../../algorithms/algorithm.js'
import type { Call } from '../compiled-policies.js'
import { LOOK, SETTLE } from '../cursor.js'
import { noLease, type BoundPolicy } from '../store.js'
import type { StateTable } from './state-table.js'
import { TableCursor } from './table-cursor.js'

/** The cursor of an algorithm whose state is a row and a body: a log, or leases. */
export class BodyCursor extends TableCursor {
  readonly #algorithm: BodiedAlgorithm
  #body: unknown
  #steps: BodiedSteps

  constructor(rows: StateTable, policy: BoundPolicy, algorithm: BodiedAlgorithm) {
    super(rows, policy, rows.partitionOf(policy))
    this.#algorithm = algorithm
    this.#steps = algorithm.bind(algorithm.newBody(policy.params), noLease)
  }

  override decide(phase: number, call: Call, cost: number, allowed: boolean): boolean {
    const fits = phase === SETTLE ? allowed : this.#lookWith(call.lease, cost)
    if (phase === LOOK) return fits
    if (call.verb === 'peek') this.read()
    else this.settleMore(cost, fits)
    return fits
  }

  #lookWith(lease: Lease, cost: number): boolean {
    this.keyHigh = this.rows.keyHash.high
    this.keyLow = this.rows.keyHash.low
    this.seek()
    const { partition, views, params, rows, segment } = this
    const place = this.at < 0 ? -1 : this.at / segment.stride
    this.#body = segment.bodyOf(place) ?? this.#algorithm.newBody(params)
    this.#steps = this.#algorithm.bind(this.#body, lease)
    this.row = place === -1 ? partition.table.blank(views) : segment.read(place, views)
    this.now = rows.moment
    const fits = this.#steps.look(this.row, params, this.now, cost)
    return !(rows.hasSideRows && this.isBlocked()) && fits
  }

  protected override get body(): unknown {
    return this.#body
  }

  override get steps(): BodiedSteps {
    return this.#steps
  }
}

/** The cursor of a policy that counts nothing: it has no row, allows everything, and changes nothing. */
export class NothingCursor extends TableCursor {
  readonly steps: BodiedSteps

  constructor(rows: StateTable, policy: BoundPolicy, steps: BodiedSteps) {
    // Without a table of its own, because the sweeps take turns among all tables.
    super(rows, policy, rows.noPartition)
    this.steps = steps
    this.row = []
    this.now = this.used = this.next = this.full = 0
  }

  override decide(_phase: number, _call: Call, _cost: number, allowed: boolean): boolean {
    return allowed
  }
}
