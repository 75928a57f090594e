import { setTimeout as delay } from 'node:timers/promises'
import type { Change } from '@sluice/core/database'
import type { Data, Fault, MakeFaulty } from './fault.js'

/** Looks at the versions of these groups, and writes later. */
function racing(isRaced: (group: readonly Change[]) => boolean): MakeFaulty {
  return ({ map }) => ({
    async save(groups, span) {
      const areCurrent = groups.map(
        (group) =>
          isRaced(group) &&
          group.every(({ key, version }) => map.rows.get(key)?.version === version),
      )
      await delay(1)
      const current = groups.map((group, g) =>
        areCurrent[g]
          ? group.map((one) => ({ ...one, version: map.rows.get(one.key)?.version }))
          : group,
      )
      return map.save(current, span)
    },
  })
}

const underWay = new WeakMap<Data, { count: number }>()

/** Several callers at the same time. */
export const ofTraffic: readonly Fault[] = [
  [
    'reads the versions of a row alone, and writes later',
    'whole',
    'Of 8 concurrent calls it saved 8.',
    racing(({ length }) => length === 1),
  ],
  [
    'reads the versions of two rows, and writes later',
    'whole',
    'There is a row of 2 bytes',
    racing(({ length }) => length === 2),
  ],
  [
    'saves nothing while another call is under way',
    'conflict',
    'In 20 rounds it did not save any of 8 calls.',
    (data) => {
      const calls = underWay.get(data) ?? { count: 0 }
      underWay.set(data, calls)
      return {
        async save(groups, span) {
          calls.count++
          await delay(1)
          const isAlone = calls.count === 1
          const saved = isAlone
            ? await data.map.save(groups, span)
            : { now: Date.now(), groups: groups.map(() => undefined) }
          await delay(1)
          calls.count--
          return saved
        },
      }
    },
  ],
]
