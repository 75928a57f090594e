import { describeStore } from '@sluice/conformance'
import { MapDatabase, unlimitedStore } from '@sluice/conformance/databases'

const remembering = unlimitedStore(new MapDatabase(), { timeout: '10s' })
describeStore('databaseStore over a map', () => remembering)

const loading = unlimitedStore(new MapDatabase({ returnsRows: false }), {
  timeout: '10s',
  rememberedRows: 0,
})
describeStore('databaseStore over a map, which loads each row first', () => loading)
