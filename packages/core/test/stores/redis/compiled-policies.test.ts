import { expect, test } from 'vitest'
import { createLimiter, fixedWindow, gcra, redisStore, slidingWindow } from '../../../src/index.js'
import { errorOf } from '../../error-of.js'
import { listOfShape } from './shapes.js'
import { unusedClient } from './unused-client.js'

test('a store makes scripts for 256 lists of policies, and refuses a limiter with another one when it is created', () => {
  const store = redisStore(unusedClient)
  for (let shape = 0; shape < 256; shape++) {
    createLimiter({ name: `limiter ${shape}`, policies: listOfShape(shape, 8), store })
  }
  const create = () =>
    createLimiter({ name: 'one more', policies: listOfShape(0, 9), store, onStoreError: 'deny' })
  expect(errorOf(create).code).toBe('SLUICE_SCRIPTS_MANY')
  expect(errorOf(create).code).toBe('SLUICE_SCRIPTS_MANY')
})

test('limits, windows and names need no script of their own', () => {
  const store = redisStore(unusedClient)
  for (let shape = 0; shape < 256; shape++) {
    createLimiter({ name: `limiter ${shape}`, policies: listOfShape(shape, 8), store })
  }
  for (let limit = 1; limit < 300; limit++) {
    const policies = Object.fromEntries(
      Object.values(listOfShape(0, 8)).map((_, i) => [
        `${limit} ${i}`,
        fixedWindow({ limit, window: `${limit}s` }),
      ]),
    )
    createLimiter({ name: `other ${limit}`, policies, store })
  }
})

test('a limiter has at most 64 policies over Redis, its own and those of a call', async () => {
  const store = redisStore(unusedClient)
  const policies = Object.fromEntries(
    Array.from({ length: 65 }, (_, i) => [`p${i}`, gcra({ limit: 1, window: '1m' })]),
  )
  const refusal = { code: 'SLUICE_OPTION_INVALID', message: expect.stringContaining('64') }
  expect(errorOf(() => createLimiter({ name: 'api', policies, store }))).toMatchObject(refusal)
  const limiter = createLimiter({
    name: 'api',
    policies: slidingWindow({ limit: 1, window: '1m' }),
    store,
  })
  await expect(limiter.consume('key', { policies })).rejects.toMatchObject(refusal)
})
