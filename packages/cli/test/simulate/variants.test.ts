import { readFileSync } from 'node:fs'
import {
  concurrency,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { algorithms, nameOf, policiesOfText, policyOfLimit } from '../../src/simulate/variants.js'

test('the page lists the algorithms of --algorithm', () => {
  const page = new URL('../../../docs/reference/command-line.md', import.meta.url)
  const [, item = ''] = /^- `--algorithm`: ([^(]*)/m.exec(readFileSync(page, 'utf8')) ?? []
  expect(item.match(/(?<=`)\w+(?=`)/g)).toEqual(algorithms)
})

describe('nameOf', () => {
  test.each<readonly [string, Policy]>([
    ['slidingWindow 60/1m', slidingWindow({ limit: 60, window: '1m' })],
    [
      'slidingWindow 60/90s buckets 6',
      slidingWindow({ limit: 60, window: '90s', buckets: 6, tail: 'weighted' }),
    ],
    [
      'slidingWindow 60/1m tail weighted',
      slidingWindow({ limit: 60, window: '1m', tail: 'weighted' }),
    ],
    ['fixedWindow 60/1h', fixedWindow({ limit: 60, window: '1h' })],
    [
      'fixedWindow 60/1h align clock offset 5m',
      fixedWindow({ limit: 60, window: '1h', align: 'clock', offset: '5m' }),
    ],
    ['slidingLog 5/1500ms', slidingLog({ limit: 5, window: 1500 })],
    ['gcra 60/1m', gcra({ limit: 60, window: '1m' })],
    ['gcra 60/1m burst 5', gcra({ limit: 60, window: '1m', burst: 5 })],
    [
      'tokenBucket capacity 9 refill 3 every 2s',
      tokenBucket({ capacity: 9, refill: 3, every: '2s' }),
    ],
    ['concurrency limit 4 lease 1m', concurrency({ limit: 4, lease: '1m' })],
    [
      'leakyQueue leak 2 every 1s maxDelay 30s',
      leakyQueue({ leak: 2, every: '1s', maxDelay: '30s' }),
    ],
  ])('%s', (name, policy) => {
    expect(nameOf({ default: policy })).toBe(name)
  })

  test('several policies are joined', () => {
    const policies = {
      long: slidingWindow({ limit: 60, window: '1m' }),
      short: slidingWindow({ limit: 5, window: '1s' }),
    }
    expect(nameOf(policies)).toBe('slidingWindow 60/1m + slidingWindow 5/1s')
  })
})

describe('policyOfLimit', () => {
  test.each<readonly [string, Policy]>([
    ['100/1m', slidingWindow({ limit: 100, window: '1m' })],
    [' 100 / 1m ', slidingWindow({ limit: 100, window: '1m' })],
    ['1_000_000/1d', slidingWindow({ limit: 1_000_000, window: '1d' })],
    ['100/60000', slidingWindow({ limit: 100, window: 60_000 })],
  ])('%j', (text, policy) => {
    expect(policyOfLimit(text, 'slidingWindow')).toEqual(policy)
  })

  test.each(['100', '/1m', '100/', '-1/1m', '1.5/1m', '100/m', '100/soon'])(
    'refuses %j',
    (text) => {
      expect(() => policyOfLimit(text, 'gcra')).toThrow()
    },
  )
})

describe('policiesOfText', () => {
  test('several policies are a record', () => {
    const text =
      '{ a: { kind: fixedWindow, limit: 1, window: 1m }, b: { kind: gcra, limit: 2, window: 1s } }'
    expect(policiesOfText(text)).toMatchObject({ a: { limit: 1 }, b: { limit: 2 } })
  })

  test.each([
    ['{ kind: gcra', '--policy { kind: gcra: '],
    ['[1]', 'expected a policy such as'],
    ['{ kind: 1 }', 'expected a policy such as'],
    ['gcra', 'expected a policy such as'],
    ['{ a: { kind: gcra, limit: -1, window: 1m } }', 'limit'],
  ])('refuses %j', (text, message) => {
    expect(() => policiesOfText(text)).toThrow(message)
  })
})
