import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { randomFrom, seed } from '@sluice/test-kit/random'
import {
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  type Policies,
  type Policy,
} from '@sluice/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  simulate,
  type Report,
  type SimulateOptions,
  type VariantReport,
} from '../../src/simulate/index.js'
import { combinedLog, start, type Line } from './logs.js'

let folder: string
let log: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  log = join(folder, 'access.log')
  await writeFile(log, combinedLog(traffic()))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

/** Twenty clients, some of which send bursts. */
function traffic(): readonly Line[] {
  const random = randomFrom(seed)
  const lines: Line[] = []
  for (let second = 0; second < 600; second++) {
    const client = Math.floor(random() ** 3 * 20)
    const burst = random() < 0.05 ? Math.floor(random() * 40) : 1
    for (let i = 0; i < burst; i++)
      lines.push({ at: start + second * 1000, ip: `192.0.2.${client}` })
  }
  return lines
}

const builders = {
  fixedWindow: (limit: number): Policy => fixedWindow({ limit, window: '1m' }),
  slidingWindow: (limit: number): Policy => slidingWindow({ limit, window: '1m' }),
  slidingLog: (limit: number): Policy => slidingLog({ limit, window: '1m' }),
  gcra: (limit: number): Policy => gcra({ limit, window: '1m' }),
} as const

/** The format is stated, because to find it takes longer than to replay so short a log. */
async function reported(options: Partial<SimulateOptions>): Promise<Report> {
  return simulate({ log, format: 'combined', ...options })
}

async function replayed(policies: Policies): Promise<VariantReport> {
  const { variants } = await reported({ variants: { only: { policies } } })
  return variants[0]
}

function policiesOf({ policies }: Pick<VariantReport, 'policies'>): Policies {
  if ('version' in policies) throw new Error('these are rules')
  return policies
}

interface Limit {
  readonly limit: number
  readonly window: number
  readonly burst: number
}

/** The numbers of the suggested limits. */
function limitsOf({ variants }: Pick<Report, 'variants'>): readonly Limit[] {
  return variants
    .filter(({ suggested }) => suggested)
    .map((variant) => {
      const numbers = new Map<string, unknown>(Object.entries(policiesOf(variant)))
      const [limit = 0, window = 0, burst = 0] = ['limit', 'window', 'burst'].map((name) =>
        Number(numbers.get(name) ?? 0),
      )
      return { limit, window, burst }
    })
}

const algorithms = ['fixedWindow', 'slidingWindow', 'slidingLog', 'gcra'] as const

describe.each(algorithms)('%s', (algorithm) => {
  test.each([0.001, 0.01, 0.2])(
    'suggests the lowest limit that denies at most %d of the requests',
    async (share) => {
      const report = await reported({
        suggest: { target: `requests<=${share}`, algorithm },
      })
      const [{ limit }] = limitsOf(report)
      const enough = await replayed(builders[algorithm](limit))
      expect(enough.denied).toBeLessThanOrEqual(share * enough.asked)
      const less = await replayed(builders[algorithm](limit - 1))
      expect(less.denied).toBeGreaterThan(share * less.asked)
      const [{ suggested: _suggested, ...numbers }] = report.variants
      expect(report.variants).toHaveLength(1)
      expect(numbers).toEqual({ ...(await replayed(policiesOf(numbers))), name: numbers.name })
    },
  )

  test('suggests the lowest limit that denies at most a tenth of the keys', async () => {
    const report = await reported({ suggest: { target: 'keys<=10%', algorithm } })
    const [{ limit }] = limitsOf(report)
    expect((await replayed(builders[algorithm](limit))).keysDenied).toBeLessThanOrEqual(2)
    expect((await replayed(builders[algorithm](limit - 1))).keysDenied).toBeGreaterThan(2)
  })
})

test('suggests the smallest burst of gcra with that limit', async () => {
  const report = await reported({
    suggest: { target: 'requests<=1%', algorithm: 'gcra' },
  })
  const [{ limit, burst }] = limitsOf(report)
  const enough = await replayed(gcra({ limit, window: '1m', burst }))
  expect(enough.denied).toBeLessThanOrEqual(0.01 * enough.asked)
  const less = await replayed(gcra({ limit, window: '1m', burst: burst - 1 }))
  expect(less.denied).toBeGreaterThan(0.01 * less.asked)
})

test('suggests no window that the log cannot answer', async () => {
  const suggest = { target: 'requests<=1%', windows: [60_000, 1000] }
  await expect(reported({ suggest })).rejects.toThrow('--suggest in 1s: the log has whole seconds')
  const forced = await reported({ suggest, force: true })
  expect(limitsOf(forced).map(({ window }) => window)).toEqual([60_000, 1000])
})

test('suggests no burst that the log cannot answer', async () => {
  const even = join(folder, 'even.log')
  const lines = Array.from({ length: 6000 }, (_, i) => ({ at: start + i * 1000, ip: '192.0.2.1' }))
  await writeFile(even, combinedLog(lines))
  const suggest = { target: 'requests<=0%', algorithm: 'gcra' } as const
  const forced = await reported({ log: even, suggest, force: true })
  const answerable = await reported({ log: even, suggest })
  expect(limitsOf(forced)).toEqual([{ limit: 60, burst: 1, window: 60_000 }])
  expect(limitsOf(answerable)).toEqual([{ limit: 60, burst: 5, window: 60_000 }])
})

test('makes one suggestion for each window', async () => {
  const windows = [60_000, 600_000]
  const report = await reported({ suggest: { target: 'requests<=1%', windows } })
  expect(limitsOf(report).map(({ window }) => window)).toEqual(windows)
})

test.each(['fixedWindow', 'slidingWindow'] as const)(
  'suggests a %s from the same sample of the keys that is replayed',
  async (algorithm) => {
    const sized = join(folder, 'sized.log')
    // Client i sends i requests.
    const lines = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: i + 1 }, (_, j) => ({ at: start + j * 1000, ip: `10.0.0.${i}` })),
    ).flat()
    await writeFile(sized, combinedLog(lines.sort((a, b) => a.at - b.at)))
    const report = await reported({
      log: sized,
      sample: 0.5,
      top: 60,
      variants: { all: { policies: fixedWindow({ limit: 0, window: '1h' }) } },
      suggest: { target: 'keys<=10%', windows: [3_600_000], algorithm },
    })
    const [all, suggested] = report.variants
    const sizes = all.top.map(({ asked }) => asked)
    expect(sizes).toHaveLength(all.keys)
    // The tenth of the keys with the most requests are denied.
    const [{ limit }] = limitsOf(report)
    expect(limit).toBe(sizes[Math.floor(all.keys / 10)])
    expect(suggested.keysDenied).toBe(Math.floor(all.keys / 10))
  },
)

test('suggests limits of a key, which the log has to have', async () => {
  const suggest = { target: 'requests<=1%', key: 'path' }
  const report = await reported({ suggest })
  const [{ limit }] = limitsOf(report)
  expect(report.variants[0]).toMatchObject({ key: 'path', keys: 1 })
  expect(limit).toBeGreaterThan(60)
  const byHeader = { ...suggest, key: 'header.x-key' }
  await expect(reported({ suggest: byHeader, missing: 'skip' })).rejects.toThrow(
    '--key header.x-key: the format combined has no field "header.x-key"',
  )
})

test('refuses a log that can be read only once', async () => {
  const once = Readable.from([Buffer.from(combinedLog(traffic()))])
  await expect(reported({ log: once, suggest: { target: 'requests<=1%' } })).rejects.toThrow(
    'Pass a file',
  )
})

test.each(['requests<1%', 'clients<=1%', 'requests<=100%', 'keys<=', ''])(
  'refuses the target %j',
  async (target) => {
    await expect(reported({ suggest: { target } })).rejects.toThrow(
      'expected requests<=0.1% or keys<=1%',
    )
  },
)

test('a line that does not fit is shown once, although the log is read several times', async () => {
  const file = join(folder, 'bad.log')
  await writeFile(file, `${await readFile(log, 'utf8')}nonsense\n`)
  const shown: string[] = []
  await reported({
    log: file,
    suggest: { target: 'requests<=10%' },
    skipBadLines: 0.5,
    onBadLine: (text) => shown.push(text),
  })
  expect(shown).toHaveLength(1)
})
