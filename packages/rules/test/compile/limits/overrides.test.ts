import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { gcra, type Policy } from '@sluice/core'
import type { RuleMatch, RuleSet } from '../../../src/index.js'
import {
  compiledRules,
  factsOf,
  findingsOf,
  head,
  judged,
  now,
  type TestFacts,
} from '../../compiled.js'

const limitOf = (judgement: RuleMatch): unknown => {
  if (judgement.type !== 'ask') return judgement.type
  const [policy] = Object.values(judgement.enforced[0]?.policies ?? {}) as Policy[]
  const { kind, limit, window } = { limit: undefined, window: undefined, ...policy }
  return kind === 'unlimited' ? kind : window === 60_000 ? limit : [limit, window]
}

const limitFor = (rules: RuleSet, user: string | undefined, plan = 'free'): unknown =>
  limitOf(judged(rules, { values: { user, plan } }))

const several = `  - id: api
    key: { first: [user, ip] }
    policies:
      m: { kind: fixedWindow, limit: 10, window: 1m }
      d: { kind: fixedWindow, limit: 100, window: 1d }
    overrides: { of: user, file: o.csv }`

describe('overrides of the document', () => {
  const rule = (overrides: string) =>
    `  - { id: api, key: { first: [user, ip] }, limit: { by: plan, free: 60, pro: 600 }, window: 1m, algorithm: gcra, overrides: { of: user, ${overrides} } }`

  test('replace the limit of a value, whatever its plan', async () => {
    const rules = await compiledRules(
      rule(
        `entries: { acme: 20000, 'trial-*': 5, 'trial-big-*': 50, internal: unlimited, own: { kind: fixedWindow, limit: 7, window: 1h } }`,
      ),
    )
    const users = [
      'acme',
      'acme2',
      'trial-1',
      'trial-',
      'trial-big-1',
      'internal',
      'own',
      undefined,
    ]
    expect(users.map((user) => limitFor(rules, user))).toEqual([
      20_000,
      60,
      5,
      5,
      50,
      'unlimited',
      [7, 3_600_000],
      60,
    ])
    expect(limitFor(rules, 'acme', 'pro')).toBe(20_000)
    expect(limitFor(rules, 'other', 'pro')).toBe(600)
  })

  test('replace the limit of the policy that the plan has', async () => {
    const rules = await compiledRules(
      `  - { id: api, policy: { by: plan, free: { kind: fixedWindow, limit: 1, window: 1h }, pro: { kind: gcra, limit: 9, window: 1m } }, overrides: { of: user, entries: { acme: 5 } } }`,
    )
    expect(limitFor(rules, 'acme', 'free')).toEqual([5, 3_600_000])
    expect(limitFor(rules, 'acme', 'pro')).toBe(5)
  })

  test('follow the burst, unless the rule states one', async () => {
    const policies = (judgement: RuleMatch) =>
      judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
    const rules = await compiledRules(rule('entries: { acme: 20000 }'))
    expect(policies(judged(rules, { values: { user: 'acme' } }))).toMatchObject({
      api: { limit: 20_000, burst: 20_000 },
    })
    const stated = await compiledRules(
      `  - { id: api, policy: { kind: gcra, limit: 1, window: 1s, burst: 3 }, overrides: { of: user, entries: { acme: 9 } } }`,
    )
    expect(policies(judged(stated, { values: { user: 'acme' } }))).toMatchObject({
      api: { limit: 9, burst: 3 },
    })
  })

  test('of a number are refused if the rule has several policies', async () => {
    const findings = await findingsOf(`${head}\nrules:\n${several}`, {
      files: { 'o.csv': 'free,unlimited\nacme,4\n' },
    })
    expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
      'o.csv:2 SLUICE_RULES_OVERRIDE',
    ])
  })

  test('with a window are refused if the policy has none', async () => {
    const findings = await findingsOf(
      `${head}\nrules:
  - { id: r, key: user, policy: { kind: calendarWindow, limit: 9, period: day, timeZone: UTC }, overrides: { of: user, file: o.csv } }`,
      { files: { 'o.csv': 'acme,5\nbob,5,1h\n' } },
    )
    expect(findings.map(({ path, line, message }) => [path, line, message])).toEqual([
      ['o.csv', 2, '"calendarWindow" has no window'],
    ])
  })

  test('come from a file as well', async () => {
    const rules = await compiledRules(rule('entries: { acme: 1 }, file: o.csv'), {
      files: {
        'o.csv':
          '\uFEFF# value,limit,window\r\nbig, 500\r\n"a,""b""",7\r\nslow,3,1h\r\n"Acme #1",8 # one\r\nfree-*,unlimited\r\n\r\n',
      },
    })
    expect(
      ['acme', 'big', 'a,"b"', 'slow', 'Acme #1', 'free-1', 'none'].map((user) =>
        limitFor(rules, user),
      ),
    ).toEqual([1, 500, 7, [3, 3_600_000], 8, 'unlimited', 60])
  })

  test('of equal limits have one object of policies', async () => {
    const rules = await compiledRules(rule('entries: { a: 5, b: 5, c: 6 }'))
    const policies = (user: string) => {
      const judgement = judged(rules, { values: { user } })
      return judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
    }
    expect(policies('a')).toBe(policies('b'))
    expect(policies('a')).not.toBe(policies('c'))
  })
})

describe('overrides of the application', () => {
  const document = `  - { id: api, key: user, limit: 60, window: 1m, overrides: { of: user, entries: { acme: 5 } } }`
  const judge = (rules: RuleSet, user: string, at: number = now) =>
    rules.judge(factsOf({ values: { user } }), at)

  afterEach(() => {
    vi.useRealTimers()
  })

  test('have priority over those of the document, and undefined keeps those', async () => {
    const answers: Record<string, number | Policy | 'unlimited' | undefined> = {
      acme: 7,
      free: 'unlimited',
      own: gcra({ limit: 3, window: '1h' }),
    }
    const calls: string[] = []
    const rules = await compiledRules(document, {
      overrides: (rule, value) => {
        calls.push(`${rule} ${value}`)
        return answers[value]
      },
    })
    const limits = ['acme', 'free', 'own', 'other'].map((user) =>
      limitOf(judge(rules, user) as RuleMatch),
    )
    expect(limits).toEqual([7, 'unlimited', [3, 3_600_000], 60])
    expect(calls).toEqual(['api acme', 'api free', 'api own', 'api other'])
  })

  test('are kept for 30 seconds', async () => {
    let calls = 0
    const rules = await compiledRules(document, { overrides: () => ++calls })
    const limits = [0, 29_999, 30_000, 59_999, 60_000].map((ms) =>
      limitOf(judge(rules, 'ann', now + ms) as RuleMatch),
    )
    expect(limits).toEqual([1, 1, 2, 2, 3])
  })

  test('belong to one value, however long it is', async () => {
    const asked: string[] = []
    const rules = await compiledRules(document, { overrides: (_rule, value) => asked.push(value) })
    const users = ['', 'x', 'y'].map((end) => `${'a'.repeat(64)}${end}`)
    const limits = [...users, ...users].map((user) => limitOf(judge(rules, user) as RuleMatch))
    expect(limits).toEqual([1, 2, 3, 1, 2, 3])
    expect(asked).toEqual(users)
  })

  test('may be promises, which simultaneous requests share', async () => {
    let calls = 0
    const rules = await compiledRules(document, { overrides: () => Promise.resolve(++calls) })
    const judgements = await Promise.all([judge(rules, 'ann'), judge(rules, 'ann')])
    expect(judgements.map(limitOf)).toEqual([1, 1])
    expect(limitOf(judge(rules, 'ann') as RuleMatch)).toBe(1)
  })

  test('that take longer than 250 ms are ignored for the request, and are reported on the channel', async () => {
    vi.useFakeTimers()
    const told: unknown[] = []
    const listen = (message: unknown) => void told.push(message)
    subscribe('sluice:rules', listen)
    const rules = await compiledRulesWithoutTimers(
      () => new Promise((resolve) => setTimeout(() => resolve(9), 400)),
    )
    const judgement = judge(rules, 'ann')
    await vi.advanceTimersByTimeAsync(249)
    expect(told).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(limitOf(await judgement)).toBe(60)
    expect(told).toEqual([{ state: 'override-late', rule: 'api', limitMs: 250 }])
    await vi.advanceTimersByTimeAsync(200)
    expect(limitOf(judge(rules, 'ann') as RuleMatch)).toBe(9)
    unsubscribe('sluice:rules', listen)
  })

  async function compiledRulesWithoutTimers(overrides: () => Promise<number>): Promise<RuleSet> {
    vi.useRealTimers()
    const rules = await compiledRules(document, { overrides })
    vi.useFakeTimers()
    return rules
  }

  test.each([[-1], [1.5], ['unlimied'], [{}], [true]])(
    'of %j are the error of the request',
    async (answer) => {
      const rules = await compiledRules(document, { overrides: () => answer as never })
      expect(() => judge(rules, 'ann')).toThrow(
        expect.objectContaining({
          code: 'SLUICE_RULES_OVERRIDE_INVALID',
          message: `rule "api": "overrides" returned ${JSON.stringify(answer)}. Return a whole number, a policy, "unlimited", or undefined`,
        }),
      )
    },
  )

  test('of a number are the error of the request if the rule has several policies', async () => {
    const answers: Record<string, number | 'unlimited' | undefined> = { acme: 4, free: 'unlimited' }
    const rules = await compiledRules(several, {
      files: { 'o.csv': '' },
      overrides: (_rule, value) => answers[value],
    })
    expect(() => judge(rules, 'acme')).toThrow(
      expect.objectContaining({
        code: 'SLUICE_RULES_OVERRIDE_INVALID',
        message: expect.stringContaining('the limits of several policies'),
      }),
    )
    expect(limitOf(judge(rules, 'free') as RuleMatch)).toBe('unlimited')
    const { enforced } = judge(rules, 'other') as RuleMatch & { type: 'ask' }
    expect(Object.keys(enforced[0]?.policies ?? {})).toEqual(['api.m', 'api.d'])
  })

  test('that throw or reject are the error of the request, and are called again', async () => {
    let calls = 0
    const rules = await compiledRules(document, {
      overrides: () => {
        calls++
        if (calls === 1) throw new RangeError('down')
        return calls === 2 ? Promise.reject(new RangeError('down')) : 8
      },
    })
    expect(() => judge(rules, 'ann')).toThrow(new RangeError('down'))
    await expect(judge(rules, 'ann')).rejects.toThrow(new RangeError('down'))
    expect(limitOf(judge(rules, 'ann') as RuleMatch)).toBe(8)
  })
})

test('overrides of hosts have no case', async () => {
  const rules = await compiledRules(
    `  - { id: api, limit: 1, window: 1m, overrides: { of: host, entries: { Shop.Example.COM: 5, 'API.*': 7 } } }`,
  )
  const limits = ['shop.example.com', 'SHOP.example.com', 'Api.example.com', 'other.example.com']
  expect(limits.map((host) => limitOf(judged(rules, { host })))).toEqual([5, 5, 7, 1])
  const again =
    '  - { id: a, limit: 1, window: 1m, overrides: { of: host, entries: { A.com: 5, a.com: 7 } } }'
  expect(await findingsOf(`${head}\nrules:\n${again}`)).toMatchObject([
    { code: 'SLUICE_RULES_OVERRIDE' },
  ])
})

describe('overrides of a field with several notations', () => {
  const limitsOf = async (of: string, entries: string, facts: readonly TestFacts[]) => {
    const rules = await compiledRules(
      `  - { id: r, key: [], limit: 1, window: 1m, overrides: { of: ${of}, entries: { ${entries} } } }`,
    )
    return facts.map((each) => limitOf(judged(rules, each)))
  }

  test('apply to all notations of an address', async () => {
    const entries = `127.0.0.1: 2, '2001:DB8:0::1': 3, '::ffff:192.0.2.1': 4, '10.*': 5`
    const ips = [
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '2001:db8::1',
      '2001:DB8:0:0::1',
      '192.0.2.1',
      '::ffff:10.1.1.1',
      '::1',
    ]
    const facts = ips.map((ip) => ({ ip }))
    expect(await limitsOf('ip', entries, facts)).toEqual([2, 2, 3, 3, 4, 5, 1])
  })

  test('apply to a path and a method in any letter case', async () => {
    const paths = ['/reports', '/REPORTS', '/login', '/API/x', '/a%20b', '/other']
    const entries = `/Reports: 2, /login/: 3, '/Api/*': 4, '/a b': 5`
    const facts = paths.map((url) => ({ url }))
    expect(await limitsOf('path', entries, facts)).toEqual([2, 2, 3, 4, 5, 1])
    const methods = ['GET', 'get', 'HEAD', 'POST'].map((method) => ({ method }))
    expect(await limitsOf('method', 'get: 2', methods)).toEqual([2, 2, 2, 1])
  })

  test('ask the application for one notation', async () => {
    const values: string[] = []
    const rules = await compiledRules(
      '  - { id: r, limit: 1, window: 1m, overrides: { of: ip, entries: {} } }',
      { overrides: (_rule, value) => values.push(value) },
    )
    const limits = ['::ffff:127.0.0.1', '127.0.0.1', '2001:DB8:0::1'].map((ip) =>
      limitOf(judged(rules, { ip })),
    )
    expect([limits, values]).toEqual([
      [1, 1, 2],
      ['127.0.0.1', '2001:db8::1'],
    ])
  })
})
