import { MapDatabase, unlimitedStore } from '@sluice/conformance/databases'
import { sqliteDrivers, temporaryFile } from '@sluice/conformance/sqlite'
import { databaseStore } from '@sluice/core/database'
import { sqliteStore } from '@sluice/sqlite'
import { afterAll } from 'vitest'
import { describeCosts } from './costs-suite.js'
import { describeRandomTraffic } from './random-traffic.js'

const map = unlimitedStore(databaseStore(new MapDatabase(), { timeout: '10s' }))

const { file, remove } = temporaryFile()
const connection = sqliteDrivers()[0].open(file)
const sqlite = unlimitedStore(sqliteStore(connection, { timeout: '10s' }))
afterAll(() => {
  connection.close()
  remove()
})

// The runs over SQLite and PostgreSQL are in the slow file. These are enough to find a fault in the executor.
describeRandomTraffic('a map', () => map, 10)
describeCosts('SQLite', () => sqlite)
