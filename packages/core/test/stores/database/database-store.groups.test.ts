import { expect, test } from 'vitest'
import { MapDatabase, type MapSettings } from '@sluice/test-kit/map-database'
import { createLimiter, fixedWindow, type AsyncStore, type Limiter } from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'

const policies = {
  user: fixedWindow({ limit: 5, window: '1h' }),
  team: fixedWindow({ limit: 5, window: '1h' }),
}

/** A limiter whose process knows the time of the database, and the last letters of the keys of each save. */
async function watched(settings: MapSettings = {}) {
  const saves: string[][] = []
  const map = new MapDatabase(settings)
  const store = databaseStore(
    {
      name: 'map',
      load: (keys) => map.load(keys),
      save(groups, span) {
        saves.push(groups.map((group) => group.map(({ key }) => key.at(-2)).join('')))
        return map.save(groups, span)
      },
    },
    { timeout: '10s' },
  )
  const limiter: Limiter<AsyncStore> = createLimiter({
    name: 'api',
    policies,
    store,
    onStoreError: 'deny',
  })
  await limiter.peek('other')
  return { limiter, saves }
}

test('requests that share keys through a third one are saved as one group, the others each for itself', async () => {
  const { limiter, saves } = await watched()
  const decisions = await limiter.consumeMany([
    { key: { user: 'a', team: 'b' } },
    { key: { user: 'c', team: 'd' } },
    { key: 'x' },
    { key: { user: 'a', team: 'd' } },
    { key: { user: 'y', team: 'z' } },
  ])
  expect(decisions.map(({ remaining }) => remaining)).toEqual([4, 4, 4, 3, 4])
  expect(saves.map((groups) => groups.toSorted())).toEqual([['abcd', 'x', 'yz']])
})

test('a conflict in one group of a save repeats that group alone', async () => {
  let conflicts = 2
  const { limiter, saves } = await watched({
    conflicts: ([{ key }]) => key.at(-2) === 'b' && conflicts-- > 0,
  })
  const decisions = await limiter.consumeMany(['a', 'b', 'c', 'b'].map((key) => ({ key })))
  expect(decisions.map(({ remaining }) => remaining)).toEqual([4, 4, 4, 3])
  expect(saves).toEqual([['a', 'b', 'c'], ['b'], ['b']])
})

test('a row that a request only reads is saved with the others, and has no counts', async () => {
  const { limiter, saves } = await watched()
  await limiter.consume({ user: 'a', team: 'b' }, { cost: { user: 1, team: 0 } })
  expect(saves).toEqual([['ab']])
  expect((await limiter.consume('b')).policies).toMatchObject({
    user: { remaining: 4 },
    team: { remaining: 4 },
  })
  expect(saves).toEqual([['ab'], ['b']])
})
