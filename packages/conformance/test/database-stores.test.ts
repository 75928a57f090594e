import { describeStore } from '@sluice/conformance'
import { MapDatabase, unlimitedStore } from '@sluice/conformance/databases'
import { databaseStore } from '@sluice/core/database'

const remembering = unlimitedStore(databaseStore(new MapDatabase(), { timeout: '10s' }))
describeStore('databaseStore over a map', () => remembering, 0.5)

const loading = unlimitedStore(
  databaseStore(new MapDatabase({ returnsRows: false }), { timeout: '10s', rememberedRows: 0 }),
)
describeStore('databaseStore over a map, which loads each row first', () => loading, 0.5)
