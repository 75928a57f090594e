import { describeStore } from '@sluice/conformance'
import { describeFaultyRows, MapDatabase, unlimitedStore } from '@sluice/conformance/databases'
import { databaseStore } from '@sluice/core/database'

const store = unlimitedStore(databaseStore(new MapDatabase(), { timeout: '10s' }))
describeStore('databaseStore over a map', () => store, 0.5)

const map = new MapDatabase()
describeFaultyRows('a map', () => map)
