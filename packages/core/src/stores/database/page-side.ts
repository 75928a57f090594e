import type { Row } from '../../algorithms/algorithm.js'
import { UNTIL, exemptionUntil, nextReset, overrideEnds, type SideRows } from '../cursor.js'
import type { Page } from './page.js'
import { blockId, exemptionId, isForm, resetId, type Part } from './state-bytes.js'

const noRow: Row = [0, 0]

/** The override and the resets of a policy's name on a page. */
export class PageSide implements SideRows {
  readonly #page: Page
  readonly #name: string
  readonly #now: number
  readonly #isInjected: boolean

  constructor(page: Page, name: string, now: number, isInjected: boolean) {
    this.#page = page
    this.#name = name
    this.#now = now
    this.#isInjected = isInjected
  }

  get override(): Row {
    const exemption = this.#page.partOf(this.#name, exemptionId, 1)
    if (exemption !== undefined) return exemptionUntil(exemption.row[0])
    return this.#page.partOf(this.#name, blockId, 2)?.row ?? noRow
  }

  get reset(): Row {
    const part = this.#page.partOf(this.#name, resetId, 2)
    // A record counts until it ends. It is removed later, because the clock can step back until then.
    return part === undefined || part.ends <= this.#now ? noRow : part.row
  }

  /** An exemption has an id of its own: cells are 0 or more, and a version that knows no exemptions must not read it as a block. */
  saveOverride(override: Row, now: number): void {
    this.removeOverride()
    const ends = overrideEnds(override)
    const part =
      override[UNTIL] < 0
        ? { name: this.#name, id: exemptionId, row: [ends], ends }
        : { name: this.#name, id: blockId, row: override, ends }
    this.#page.put(part, now, this.#isInjected)
  }

  removeOverride(): void {
    this.#page.remove(this.#name, isOverride, this.#now, this.#isInjected)
  }

  saveReset(now: number, ends: number): void {
    const last = this.#page.partOf(this.#name, resetId, 2)
    const until = Math.max(ends, this.#page.lastEndOf(this.#name))
    if (until <= now) return
    const part = {
      name: this.#name,
      id: resetId,
      row: nextReset(this.reset, now),
      ends: Math.max(last?.ends ?? 0, until),
    }
    this.#page.put(part, now, this.#isInjected)
  }

  removeRows(): void {
    this.#page.remove(this.#name, isForm, this.#now, this.#isInjected)
  }
}

function isOverride({ id }: Part): boolean {
  return id === blockId || id === exemptionId
}
