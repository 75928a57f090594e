import { describeStore } from '@sluice/conformance'
import { describeFaultyRows, unlimitedStore } from '@sluice/conformance/databases'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { databaseStore } from '@sluice/core/database'

const store = unlimitedStore(databaseStore(new MapDatabase(), { timeout: '10s' }))
describeStore('databaseStore over a map', () => store, 0.5)

const map = new MapDatabase()
describeFaultyRows('a map', () => map)
