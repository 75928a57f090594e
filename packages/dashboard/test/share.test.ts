import { createLimiter, fixedWindow } from '@sluice/core'
import { loadRules, staticSource } from '@sluice/rules'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readSnapshot } from '../src/data/read-snapshot.js'
import type { DashboardShare, Snapshot } from '../src/share/share.js'
import { serveDashboard } from './served.js'

const hour = fixedWindow({ limit: 1, window: '1h' })

/** A share whose other processes are those of the test. */
function setUp() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] })
  onTestFinished(() => void vi.useRealTimers())
  const written: { readonly snapshot: string; readonly cleared: readonly string[] }[] = []
  const calls = { removes: 0 }
  let cleared: readonly string[] = []
  const snapshots = new Map<string, Snapshot>()
  const share: DashboardShare = {
    async write(_process, snapshot, own) {
      written.push({ snapshot, cleared: own })
      return cleared
    },
    read: async () => ({ snapshots, cleared: [] }),
    remove: async () => void calls.removes++,
    prefix: 'sluice',
    has: async () => true,
    search: async () => ({ keys: [], cursor: undefined, scanned: 0 }),
  }
  return {
    share,
    written,
    calls,
    snapshots,
    /** Each dashboard writes, and receives these keys of other processes. */
    async tick(theirs: readonly string[] = []): Promise<void> {
      cleared = theirs
      await vi.advanceTimersByTimeAsync(5000)
    },
  }
}

test('a key that another process has cleared is no longer denied, and stays so', async () => {
  const { share, tick } = setUp()
  const limiter = createLimiter({ name: 'cleared', policies: hour })
  const board = await serveDashboard({ share })
  const deniedKeys = async (): Promise<readonly string[]> =>
    (await board.view()).limiters[0].denied.map(({ key }) => key)
  for (const key of ['ann', 'ann', 'bob', 'bob']) limiter.consume(key)
  const of = (key: string, at: number): string => JSON.stringify(['cleared', key, at])
  await tick([of('ann', Date.now()), of('bob', Date.now() - 60_000), 'no JSON', '[1]'])
  expect(await deniedKeys()).toEqual(['bob'])
  await tick()
  expect(await deniedKeys()).toEqual(['bob'])
})

test('an act that ends denials is written at once, and a key that is allowed early with the next data', async () => {
  const { share, written, tick } = setUp()
  const limiter = createLimiter({ name: 'told', policies: hour })
  const brief = createLimiter({ name: 'brief', policies: fixedWindow({ limit: 1, window: '5s' }) })
  const board = await serveDashboard({ share, limiters: { limiter } })
  await tick()
  const before = written.length
  for (const key of ['ann', 'ann', 'bob', 'bob']) limiter.consume(key)
  await board.act({ limiter: 'told', key: 'ann', act: 'reset', reason: 'a test' })
  expect(written.length).toBe(before + 1)
  const toldBy = (all: readonly string[]): readonly unknown[] =>
    all.map((text) => (JSON.parse(text) as readonly unknown[]).slice(0, 2))
  expect(toldBy(written[before].cleared)).toEqual([['told', 'ann']])
  // Another program resets it: the dashboard learns that from the next decision.
  limiter.reset('bob')
  limiter.consume('bob')
  for (const key of ['cho', 'cho']) brief.consume(key)
  brief.reset('cho')
  brief.consume('cho')
  await tick()
  expect(toldBy(written[before + 1].cleared)).toEqual([
    ['told', 'ann'],
    ['told', 'bob'],
  ])
})

test.each([
  ['unblock', true, {}],
  ['reset', true, {}],
  ['exempt', true, { length: '1m' }],
  ['grant', true, { units: 5, length: '1m' }],
  ['block', false, { length: '1m' }],
  ['penalize', false, { units: 1 }],
  ['unexempt', false, {}],
] as const)('%s ends the denials of a key in all processes: %s', async (name, ends, more) => {
  const { share, written, tick } = setUp()
  const limiter = createLimiter({ name: 'acted', policies: hour })
  const board = await serveDashboard({ share, limiters: { limiter } })
  for (const key of ['ann', 'ann']) limiter.consume(key)
  const body = { limiter: 'acted', key: 'ann', act: name, reason: 'a test', ...more }
  expect((await board.act(body)).status).toBe(200)
  await tick()
  const cleared = written.at(-1)?.cleared.map((text) => (JSON.parse(text) as unknown[])[1])
  expect(cleared).toEqual(ends ? ['ann'] : [])
  expect((await board.view()).limiters[0].denied).toHaveLength(ends ? 0 : 1)
})

test('a grant ends no denial of a key that is blocked', async () => {
  const limiter = createLimiter({ name: 'acted', policies: hour })
  const board = await serveDashboard({ limiters: { limiter } })
  limiter.block('ann', '1h')
  limiter.consume('ann')
  const body = { limiter: 'acted', key: 'ann', act: 'grant', reason: 'a test', length: '1m' }
  expect((await board.act({ ...body, units: 5 })).status).toBe(200)
  expect((await board.view()).limiters[0].denied).toHaveLength(1)
})

test('the keys that each dashboard has cleared are written together, and end denials in all of them', async () => {
  const { share, written, tick } = setUp()
  const limiter = createLimiter({ name: 'both', policies: hour })
  const clock = (): number => Date.now()
  const boards = [
    await serveDashboard({ share, limiters: { limiter } }),
    await serveDashboard({ share, limiters: { limiter }, clock }),
  ]
  for (const key of ['ann', 'ann', 'bob', 'bob', 'cho', 'cho']) limiter.consume(key)
  for (const [i, key] of ['ann', 'bob'].entries()) {
    await boards[i].act({ limiter: 'both', key, act: 'reset', reason: 'a test' })
  }
  await tick([JSON.stringify(['both', 'cho', Date.now()])])
  const cleared = written.at(-1)?.cleared.map((text) => (JSON.parse(text) as unknown[])[1])
  expect(cleared?.toSorted()).toEqual(['ann', 'bob'])
  for (const board of boards) {
    const [{ denied }] = (await board.view()).limiters
    expect(denied.map(({ key }) => key)).not.toContain('cho')
  }
})

test('an error of a write is shown until a write succeeds', async () => {
  const { share, tick } = setUp()
  let isDown = true
  const write: DashboardShare['write'] = async (...data) => {
    if (isDown) throw new Error('connection lost')
    return share.write(...data)
  }
  const board = await serveDashboard({ share: { ...share, write } })
  await tick()
  expect((await board.view()).share.error).toBe('connection lost')
  isDown = false
  await tick()
  expect((await board.view()).share.error).toBeUndefined()
})

test('a key that another process has cleared stays if a policy of its last denial has not allowed it', async () => {
  const { share, tick } = setUp()
  const limiter = createLimiter({ name: 'partly', policies: { login: hour, site: hour } })
  const board = await serveDashboard({ share })
  for (const key of ['ann', 'ann', 'bob', 'bob']) limiter.consume(key)
  const of = (key: string, policies: readonly string[]): string =>
    JSON.stringify(['partly', key, Date.now(), policies])
  await tick([of('ann', ['site']), of('bob', ['site', 'login'])])
  const [{ denied }] = (await board.view()).limiters
  expect(denied.map(({ key }) => key)).toEqual(['ann'])
})

test('the dashboards of a process with one share write together, and the last one removes the data', async () => {
  const { share, written, calls, tick } = setUp()
  const rules = await loadRules({
    source: staticSource('version: 1\nname: shop\nrules:\n  - { id: all, limit: 2, window: 1h }'),
  })
  onTestFinished(() => rules.close())
  const plain = await serveDashboard({ share })
  const withRules = await serveDashboard({ share, rules })
  await tick()
  const names = written.map(({ snapshot }) => readSnapshot(snapshot)?.rules.map(({ name }) => name))
  expect(names.at(-1)).toEqual(['shop'])
  const count = written.length
  await plain.dashboard.close()
  expect(calls.removes).toBe(0)
  await tick()
  expect(written.length).toBe(count + 1)
  await withRules.dashboard.close()
  expect(calls.removes).toBe(1)
  await tick()
  expect(written.length).toBe(count + 1)
})

test('the number of denied keys contains those that a process does not list', async () => {
  const { share, written, snapshots, tick } = setUp()
  const limiter = createLimiter({ name: 'many', policies: hour })
  const board = await serveDashboard({ share })
  for (let i = 0; i < 250; i++) for (let n = 0; n < 2; n++) limiter.consume(`key ${i}`)
  await tick()
  // The data of this process again, as those of another one that has denied other keys.
  const text = (written.at(-1)?.snapshot ?? '').replaceAll('"key ', '"other ')
  snapshots.set('other', { text, writtenAt: '1' })
  const [{ denied, deniedTotal }] = (await board.view('?rows=200')).limiters
  expect([denied.length, deniedTotal]).toEqual([200, 500])
})
