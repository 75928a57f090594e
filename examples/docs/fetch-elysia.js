// The plugin of Elysia.
import assert from 'node:assert/strict'
// #region plugin
import { rateLimit } from '@sluice/fetch/elysia'

export const limit = rateLimit({ limit: 100, window: '1m' })
// #endregion
const around = []
limit({ wrap: (/** @type {unknown} */ wrapper) => around.push(wrapper) })
assert.equal(around.length, 1)
