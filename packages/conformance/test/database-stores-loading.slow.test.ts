import { describeStore } from '@sluice/conformance'
import { unlimitedStore } from '@sluice/conformance/databases'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { databaseStore } from '@sluice/core/database'

const store = unlimitedStore(
  databaseStore(new MapDatabase({ returnsRows: false }), { timeout: '10s', rememberedRows: 0 }),
)
describeStore('databaseStore over a map, which loads each row first', () => store, 0.5)
