import { sluiceError, type SluiceError } from '../../errors.js'
import { failureOf } from '../pending.js'
import type { Answer, StoreResult } from '../store.js'
import type { Group, Item } from './groups.js'
import { createPagePlans } from './page-plan.js'
import { DamagedRecords, Page, type PageChange } from './page.js'
import { mostBytes } from './state-bytes.js'

/** A group that was decided, and has to be saved if it has changes. */
export interface DecidedGroup {
  readonly group: Group
  readonly answers: readonly Answer[]
  readonly changes: readonly PageChange[]
  /** The error of all requests, if one of the rows cannot be read. */
  readonly damage: SluiceError | undefined
}

const tooLong = `a row would have more than ${mostBytes} bytes`

/** Makes the function that decides groups whose rows were loaded. */
export function createDecide(database: string): (group: Group) => DecidedGroup {
  const planOf = createPagePlans()

  function run(group: Group, pages: ReadonlyMap<string, Page>): readonly Answer[] {
    const pagesOf = ({ keys }: Item): Page[] => keys.flatMap((key) => pages.get(key) ?? [])
    const answers = group.items.map((item): StoreResult => {
      const { request } = item.pending
      return planOf(request.policies).run(request, pagesOf(item), group.now)
    })
    group.items.forEach((item, i) => {
      if (answers[i].allowed && item.keys.length > 1) expectTogether(item, pagesOf(item), group.now)
    })
    return answers
  }

  function damaged(group: Group, pages: ReadonlyMap<string, Page>): DecidedGroup {
    const rows = [...pages].filter(([, { isDamaged }]) => isDamaged)
    const damage = sluiceError('SLUICE_STORE_DAMAGED', database, rows[0][0])
    const changes = rows.flatMap(([, { change }]) => change ?? [])
    const answers = group.items.map(() => damage)
    return { group, answers, changes, damage }
  }

  return function decide(group) {
    const pages = new Map(
      group.keys.map((key) => [key, new Page(key, group.rows?.get(key), group.now)]),
    )
    try {
      if (Array.from(pages.values()).some(({ isDamaged }) => isDamaged))
        return damaged(group, pages)
      const answers = run(group, pages)
      const changes = Array.from(pages.values()).flatMap((page) => page.change ?? [])
      const isTooLong = changes.some(({ change }) => (change.bytes?.length ?? 0) > mostBytes)
      if (isTooLong) return failed(group, sluiceError('SLUICE_STORE_FAILED', database, tooLong))
      return { group, answers, changes, damage: undefined }
    } catch (error) {
      if (error instanceof DamagedRecords) return damaged(group, pages)
      return failed(group, failureOf(database, error))
    }
  }
}

function failed(group: Group, error: SluiceError): DecidedGroup {
  const answers = group.items.map(() => error)
  return { group, answers, changes: [], damage: undefined }
}

/**
 * A request can be allowed by rows that it does not change: by a cost of 0, by an exemption, or because it has nothing to refund. If only the others were saved, two
 * processes could each change what the other one was allowed by.
 */
function expectTogether({ pending: { request } }: Item, own: readonly Page[], now: number): void {
  if (new Set(own).size === 1 || !own.some(({ isChanged }) => isChanged)) return
  for (const page of own) page.expect(request.now ?? now, request.now !== undefined)
}
