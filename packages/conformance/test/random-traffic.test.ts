import { unlimitedStore } from '@sluice/conformance/databases'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { randomFrom } from '@sluice/test-kit/random'
import { databaseStore } from '@sluice/core/database'
import { describeCosts } from './costs-suite.js'
import { describeRandomTraffic } from './random-traffic.js'

const random = randomFrom(1)
const often = () => random() < 0.3

const maps = [
  ['a map', {}, {}],
  ['a map whose rows are loaded first', {}, { rememberedRows: 0 }],
  ['a map with conflicts', { conflicts: often }, {}],
  [
    'a map with conflicts, which does not return rows',
    { conflicts: often, returnsRows: false },
    {},
  ],
  ['a map that often saves too late', { isLate: often }, {}],
] as const

// The runs over SQLite and PostgreSQL are in the slow file. These are enough to find a fault in the executor.
for (const [name, settings, options] of maps) {
  const database = new MapDatabase(settings)
  const store = unlimitedStore(databaseStore(database, { ...options, timeout: '10s' }))
  describeRandomTraffic(name, () => store, 10)
}
const map = unlimitedStore(databaseStore(new MapDatabase({}), { timeout: '10s' }))
describeCosts('a map', () => map)
