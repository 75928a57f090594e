import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { simulate, type Report, type SimulateOptions } from '../../../src/simulate/index.js'
import { start } from '../logs.js'

interface Request {
  readonly user?: string
  readonly ip?: string
  readonly url?: string
  readonly status?: number
  readonly [field: string]: unknown
}

/** Replays requests, one every 100 ms, against rules. */
async function replayed(
  rules: readonly string[],
  requests: readonly Request[],
  options: Partial<SimulateOptions> = {},
): Promise<Report> {
  const lines = requests.map((request, i) => {
    const usual = { ip: '192.0.2.1', url: '/', method: 'GET', status: 200 }
    return `${JSON.stringify({ time: start + 1 + i * 100, durationMs: 0, ...usual, ...request })}\n`
  })
  const text = `version: 1\nname: site\nvalues: { user: string?, plan: string? }\nrules:\n`
  const list = rules.map((rule) => `  - { ${rule} }\n`).join('')
  return simulate({
    log: Readable.from([Buffer.from(lines.join(''))]),
    variants: { a: { rules: { text: text + list, format: 'yaml', files: new Map() } } },
    ...options,
  })
}

function topOf({ variants }: Report): unknown {
  return variants[0].top.map(({ key, asked, denied }) => [key, asked, denied])
}

describe('keys of rules', () => {
  test('a denied key is that of the rule that denies', async () => {
    const report = await replayed(
      [
        'id: address, key: ip, limit: 100, window: 1m',
        'id: account, key: user, limit: 2, window: 1m',
      ],
      ['alice', 'bob', 'alice', 'alice', 'alice'].map((user) => ({ user })),
    )
    expect(topOf(report)).toEqual([['account user alice', 4, 2]])
    expect(report.variants[0].streak).toEqual({ key: 'account user alice', length: 2 })
  })

  test('a rule that refuses has the address as its key, and asks each request that it refuses', async () => {
    const report = await replayed(
      ['id: banned, when: { user: mallory }, then: deny', 'id: all, key: ip, limit: 9, window: 1m'],
      ['mallory', 'alice', 'mallory'].map((user) => ({ user })),
    )
    expect(topOf(report)).toEqual([['banned 192.0.2.1', 2, 2]])
    expect(report.variants[0].rules).toEqual([
      { id: 'banned', asked: 2, denied: 2, shadowDenied: 0 },
      { id: 'all', asked: 1, denied: 0, shadowDenied: 0 },
    ])
  })

  test('a success resets only the rule that says so, and a failure resets none', async () => {
    const rules = [
      'id: account, key: user, limit: 3, window: 1m, resetOn: success',
      'id: address, key: ip, limit: 5, window: 1m',
    ]
    const statuses = [401, 500, 200, 401, 401, 401]
    const report = await replayed(
      rules,
      statuses.map((status) => ({ user: 'alice', status })),
    )
    // The account is reset by the third request, and the address counts on to its sixth.
    expect(topOf(report)).toEqual([['address 192.0.2.1', 6, 1]])
    const failing = await replayed(
      rules,
      [401, 500, 404, 200].map((status) => ({ user: 'alice', status })),
    )
    expect(topOf(failing)).toEqual([['account user alice', 4, 1]])
  })

  test('rules with one key are reset by it', async () => {
    const report = await replayed(
      ['id: account, key: user, limit: 2, window: 1m, resetOn: success'],
      [401, 200, 401, 401, 401].map((status) => ({ user: 'alice', status })),
    )
    expect(topOf(report)).toEqual([['account user alice', 5, 1]])
  })

  test.each([
    ['failures', [200, 399, 400, 500], 2],
    ['successes', [500, 400, 399, 200], 2],
    ['{ status: [404, 410] }', [404, 500, 200, 410], 2],
    ['{ status: 404, reserve: false }', [404, 500, 200, 404], 2],
  ])('of the %s, those responses count that have such a status', async (counts, statuses, used) => {
    const report = await replayed(
      [`id: account, key: user, limit: ${used}, window: 1m, counts: ${counts}`],
      [...statuses, 200, 500].map((status) => ({ user: 'alice', status })),
    )
    expect(topOf(report)).toEqual([['account user alice', 6, 2]])
  })
})

test('a rule that counts attempts counts those that another rule denies', async () => {
  const report = await replayed(
    [
      'id: account, key: user, limit: 1, window: 1m',
      'id: tries, key: user, limit: 4, window: 1h, counts: { when: failures, denied: true }',
    ],
    [200, 401, 401, 401, 401, 401].map((status) => ({ user: 'alice', status })),
  )
  expect(report.variants[0].rules).toMatchObject([
    { id: 'account', denied: 4 },
    { id: 'tries', denied: 1 },
  ])
})

describe('a sample of rules', () => {
  test('is chosen by the address, and keeps all requests of each', async () => {
    const requests = Array.from({ length: 3000 }, (_, i) => ({ ip: `10.0.${i % 100}.1` }))
    const rules = ['id: all, key: ip, limit: 10, window: 1h']
    const { variants, log } = await replayed(rules, requests, { sample: 0.4, top: 100 })
    const [{ asked, keys, denied, top }] = variants
    expect(log.sampled).toBe(0.4)
    expect(keys).toBeGreaterThan(20)
    expect(keys).toBeLessThan(60)
    expect([asked, denied]).toEqual([30 * keys, 20 * keys])
    expect(top.every((one) => one.asked === 30)).toBe(true)
  })
})

describe('requests that cannot be judged', () => {
  test('are counted with the first of their errors', async () => {
    const text = (rule: string): string =>
      `version: 1\nname: site\nvalues: { user: string, plan: string }\nrules:\n  - { ${rule} }\n`
    const rules = (rule: string) =>
      ({ rules: { text: text(rule), format: 'yaml', files: new Map() } }) as const
    const report = await replayed([], [{ plan: 'x' }, { user: 'alice' }, { user: 'bob' }], {
      variants: {
        none: rules('id: all, key: ip, limit: 9, window: 1m'),
        some: rules('id: all, key: [user, plan], limit: 9, window: 1m'),
      },
      missing: 'absent',
    })
    expect(report.unjudged).toBe(3)
    expect(report.notes.at(-1)).toMatch(
      /^some: 3 requests could not be judged and were not limited; the first error: .*"user"/,
    )
  })

  test('are none if all values can be absent', async () => {
    const report = await replayed(
      ['id: all, key: user, limit: 1, window: 1m'],
      [{ user: 'alice' }, {}],
    )
    expect(report.unjudged).toBe(undefined)
    expect(report.notes.join()).not.toContain('judged')
  })
})
