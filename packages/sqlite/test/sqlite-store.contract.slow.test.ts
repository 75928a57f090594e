import { describeStore } from '@sluice/conformance'
import { unlimitedStore } from '@sluice/conformance/databases'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import { describe } from 'vitest'
import { sqliteStore } from '../src/index.js'
import { useFile } from './use-file.js'

describe.each(sqliteDrivers())('$name', (driver) => {
  const { connect } = useFile()
  const store = unlimitedStore(sqliteStore(connect(driver.open), { timeout: '10s' }))
  describeStore('sqliteStore', () => store)
})
