import { describeStore } from '@sluice/conformance'
import { unlimitedStore } from '@sluice/conformance/databases'
import { sqliteDrivers } from '@sluice/conformance/sqlite'
import { describe } from 'vitest'
import { sqliteDatabase } from '../src/database.js'
import { useFile } from './use-file.js'

describe.each(sqliteDrivers())('$name', (driver) => {
  const { connect } = useFile()
  const database = sqliteDatabase(connect(driver.open), 'sluice')
  const store = unlimitedStore(database, { timeout: '10s' })
  describeStore('sqliteStore', () => store)
})
