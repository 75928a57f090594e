import { expect, onTestFinished, test, vi } from 'vitest'
import { snapshotVersion } from '../../src/data/snapshot.js'
import { Others } from '../../src/share/others.js'
import type { DashboardShare } from '../../src/share/share.js'

const emptySnapshot = { v: snapshotVersion, limiters: [], stores: [], rules: [] }

/** The data of other processes, with a clock that the test moves. */
function setUp() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let reads = 0
  let read = async (): Promise<string> => JSON.stringify({ ...emptySnapshot, at: reads })
  const share: DashboardShare = {
    write: async () => [],
    read: async () => {
      reads++
      const snapshots = new Map([['other', { text: await read(), writtenAt: `${reads}` }]])
      return { snapshots, cleared: [] }
    },
    remove: async () => {},
    prefix: 'sluice',
    has: async () => true,
    search: async () => ({ keys: [], cursor: undefined }),
  }
  return {
    share,
    others: new Others(share, 'own'),
    reads: () => reads,
    readBy: (next: () => Promise<string>) => void (read = next),
    pass: async (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

test('while a page is open, the data are read once a second, and a request does not wait', async () => {
  const { others, reads, pass } = setUp()
  expect((await others.read()).data).toMatchObject([{ at: 1 }])
  for (let polls = 1; polls <= 5; polls++) {
    await pass(2000)
    expect(reads()).toBe(1 + 2 * polls)
    expect((await others.read()).data).toMatchObject([{ at: reads() }])
  }
  expect(reads()).toBe(11)
  await pass(60_000)
  expect(reads()).toBeLessThanOrEqual(16)
  const before = reads()
  expect((await others.read()).data).toMatchObject([{ at: before + 1 }])
})

test('the data of a process that has ended, or has written no data since, are those of the last read', async () => {
  const { share, pass } = setUp()
  const textOf = (at: number): string => JSON.stringify({ ...emptySnapshot, at })
  const all = new Map([1, 2, 3].map((at) => [`${at}`, { text: textOf(at), writtenAt: `${at}` }]))
  const others = new Others(
    { ...share, read: async () => ({ snapshots: new Map(all), cleared: [] }) },
    '2',
  )
  const times = async (): Promise<readonly number[]> =>
    (await others.read()).data.map(({ at }) => at)
  expect(await times()).toEqual([1, 3])
  all.set('1', { text: textOf(4), writtenAt: '4' })
  await pass(1000)
  expect(await times()).toEqual([4, 3])
  for (let at = 5; at < 100; at++) {
    all.set(`${at}`, { text: textOf(at), writtenAt: `${at}` })
    await pass(1000)
    await times()
    all.delete(`${at}`)
  }
  all.delete('1')
  await pass(1000)
  expect(await times()).toEqual([3])
})

test('nothing is read for a dashboard that is closed', async () => {
  const { others, reads, pass } = setUp()
  await others.read()
  others.close()
  await pass(60_000)
  expect(reads()).toBe(1)
})

test.each([
  ['fails', async () => Promise.reject(new Error('READONLY')), 'READONLY'],
  ['takes too long', async () => new Promise<never>(() => {}), 'Redis took too long.'],
] as const)('if the reading in advance %s, a request says so', async (_, read, error) => {
  const { others, readBy, pass } = setUp()
  await others.read()
  readBy(read)
  await pass(1500)
  const asked = others.read()
  await pass(250)
  expect(await asked).toMatchObject({ state: 'failed', error, data: [] })
})
