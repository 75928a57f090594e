import { Readable } from 'node:stream'
import { randomFrom, seed } from '@sluice/test-kit/random'
import { memoryStore } from '@sluice/core'
import { compileRules, createRuleLimiter, parseRules, type RulesText } from '@sluice/rules'
import { describe, expect, test } from 'vitest'
import { simulate, tableOf, type Report, type SimulateOptions } from '../../src/simulate/index.js'
import { combinedLine, start } from './logs.js'

interface Request {
  readonly at: number
  readonly ip: string
  readonly user?: string
  readonly url: string
  readonly status: number
  readonly durationMs: number
}

/** Requests of a few clients, in bursts. */
function traffic(length = 1000): readonly Request[] {
  const random = randomFrom(seed)
  let at = start
  return Array.from({ length }, () => {
    at += random() < 0.5 ? 0 : Math.floor(random() * 3000)
    const client = Math.floor(random() ** 2 * 6)
    return {
      at,
      ip: `192.0.2.${client}`,
      ...(client % 2 === 0 ? { user: `u${client}` } : {}),
      url: ['/login', '/api/items', '/static/a.png'][Math.floor(random() * 3)],
      status: random() < 0.3 ? 401 : 200,
      durationMs: 0,
    }
  })
}

function rulesText(rules: string): RulesText {
  return {
    text: `version: 1\nname: site\nvalues: { user: string?, plan: string? }\nrules:\n${rules}`,
    format: 'yaml',
    files: new Map(),
  }
}

const document = rulesText(`
  - { id: static, when: { path: '/static/**' }, then: allow }
  - { id: banned, when: { ip: 192.0.2.5 }, then: deny }
  - { id: login, when: { path: /login }, key: ip, limit: 5, window: 1m }
  - { id: api, when: { path: '/api/**' }, key: { first: [user, ip] }, limit: 6, window: 1m, algorithm: gcra }
  - { id: tight, when: { path: '/api/**' }, key: ip, limit: 2, window: 10s, shadow: true }
`)

async function replayed(
  requests: readonly Request[],
  options: Omit<SimulateOptions, 'log'>,
): Promise<Report> {
  const lines = requests.map(
    ({ at, durationMs, ...fields }) =>
      `${JSON.stringify({ ...fields, time: at + durationMs, durationMs, method: 'GET' })}\n`,
  )
  return simulate({ ...options, log: Readable.from([Buffer.from(lines.join(''))]) })
}

test('denies what the limiter of the same rules denies', async () => {
  let now = 0
  const set = await compileRules(parseRules(document))
  const limiter = createRuleLimiter({
    rules: { name: set.name, current: set },
    store: memoryStore(),
    clock: () => now,
  })
  const denials = new Map<string, number>()
  let denied = 0
  const requests = traffic()
  for (const { at, ip, user, url } of requests) {
    now = at
    const decision = await limiter.consume({
      ip,
      url,
      method: 'GET',
      ...(user === undefined ? {} : { user }),
    })
    if (decision.allowed) continue
    denied++
    const id = decision.rule ?? ''
    denials.set(id, (denials.get(id) ?? 0) + 1)
  }
  expect([...denials.keys()].sort()).toEqual(['api', 'banned', 'login'])

  const { variants } = await replayed(requests, { variants: { a: { rules: document } } })
  const [{ rules = [], ...variant }] = variants
  expect([variant.asked, variant.denied]).toEqual([requests.length, denied])
  expect(Object.fromEntries(rules.map(({ id, denied }) => [id, denied]))).toEqual({
    static: 0,
    tight: 0,
    ...Object.fromEntries(denials),
  })
  expect(rules.find(({ id }) => id === 'tight')?.shadowDenied).toBe(
    set.stats.get('tight')?.shadowDenied,
  )
  expect(variant.top.reduce((sum, { denied }) => sum + denied, 0)).toBe(denied)
  expect(variant.top.some(({ key }) => key === 'banned 192.0.2.5')).toBe(true)
})

describe('compared with a baseline', () => {
  const strict = rulesText('  - { id: all, key: ip, limit: 5, window: 1m }')
  const loose = rulesText('  - { id: all, key: ip, limit: 8, window: 1m }')

  test('the same document newly denies nothing', async () => {
    const { compared } = await replayed(traffic(), {
      variants: { old: { rules: strict }, new: { rules: strict } },
      baseline: 'old',
    })
    expect(compared).toMatchObject({
      requestsNewlyDenied: 0,
      requestsNewlyAllowed: 0,
      newlyDenied: [],
      newlyAllowed: [],
    })
  })

  test('reports which keys are newly denied and newly allowed, in both directions', async () => {
    const requests = traffic()
    const stricter = await replayed(requests, {
      variants: { old: { rules: loose }, new: { rules: strict } },
      baseline: 'old',
    })
    const looser = await replayed(requests, {
      variants: { old: { rules: strict }, new: { rules: loose } },
      baseline: 'old',
    })
    const [before, after] = stricter.variants
    expect(stricter.compared).toMatchObject({
      baseline: 'old',
      variant: 'new',
      asked: requests.length,
    })
    const { requestsNewlyDenied = 0, requestsNewlyAllowed = 0 } = stricter.compared ?? {}
    expect(requestsNewlyDenied).toBeGreaterThan(0)
    expect(requestsNewlyDenied - requestsNewlyAllowed).toBe(after.denied - before.denied)
    expect(looser.compared).toMatchObject({
      requestsNewlyDenied: requestsNewlyAllowed,
      requestsNewlyAllowed: requestsNewlyDenied,
    })
    expect(looser.compared?.newlyAllowed).toEqual(stricter.compared?.newlyDenied)
  })
})

test('a rule that counts failures is refunded at the end of a success', async () => {
  const rules = rulesText('  - { id: login, key: ip, limit: 1, window: 1m, counts: failures }')
  const request = { ip: '192.0.2.1', url: '/login' }
  const requests = [
    { ...request, at: start, status: 200, durationMs: 1000 },
    // The first one is still running and counts.
    { ...request, at: start + 500, status: 200, durationMs: 100 },
    // It has ended as a success.
    { ...request, at: start + 1500, status: 401, durationMs: 100 },
    // The failure counts.
    { ...request, at: start + 3000, status: 200, durationMs: 100 },
  ]
  const { variants } = await replayed(requests, { variants: { a: { rules } } })
  expect(variants[0].top).toMatchObject([
    {
      denied: 2,
      first: new Date(start + 500).toISOString(),
      last: new Date(start + 3000).toISOString(),
    },
  ])
})

test('the report names the requests that a rule would have delayed', async () => {
  const rules = rulesText(
    '  - { id: queue, key: ip, limit: 5, window: 1m, over: { delay: 10s } }\n  - { id: all, key: ip, limit: 20, window: 1h }',
  )
  const requests = Array.from({ length: 8 }, (_, i) => ({
    at: start + i * 10,
    ip: '192.0.2.1',
    url: '/',
    status: 200,
    durationMs: 0,
  }))
  const { variants, notes } = await replayed(requests, { variants: { a: { rules } } })
  expect(variants[0].denied).toBe(3)
  expect(notes).toContain(
    'a: 3 of the denied requests exceeded a rule with "over: delay". The limiter delays such requests, and denies them only if the delay is too short.',
  )
})

test('a concurrency rule needs the durations of requests', async () => {
  const rules = rulesText(
    '  - { id: slots, key: ip, policy: { kind: concurrency, limit: 1, lease: 1m } }',
  )
  const log = Readable.from([
    Buffer.from(
      `${JSON.stringify({ time: start, ip: '192.0.2.1', method: 'GET', url: '/', status: 200 })}\n`,
    ),
  ])
  await expect(simulate({ log, variants: { a: { rules } } })).rejects.toThrow(
    'rule "slots": a concurrency limit needs the duration of each request',
  )
})

describe('fields that the log lacks', () => {
  const rules = rulesText(`
  - { id: partners, when: { header.x-partner: { present: true } }, then: allow }
  - { id: all, key: ip, limit: 1, window: 1m }
`)
  const log = (): Readable =>
    Readable.from([
      Buffer.from(
        [0, 1, 2].map((i) => combinedLine({ at: start + i * 1000, ip: '192.0.2.1' })).join('\n'),
      ),
    ])

  test('are an error that names the rule and the field', async () => {
    await expect(simulate({ log: log(), variants: { a: { rules } } })).rejects.toThrow(
      'rule "partners" needs "header.x-partner"',
    )
  })

  test('are an error without a table if no table can have them', async () => {
    await expect(simulate({ log: log(), variants: { a: { rules } } })).rejects.toThrow(
      'the log does not have it. Pass --missing skip to leave out such rules, or --missing absent',
    )
    const ofUser = rulesText('  - { id: a, key: plan, limit: 1, window: 1m }')
    await expect(simulate({ log: log(), variants: { a: { rules: ofUser } } })).rejects.toThrow(
      'Pass --table with a column of that name, --missing skip',
    )
  })

  test('are an error in JSON if no line has an address', async () => {
    const line = `{"time":${start},"method":"GET","url":"/","status":200}\n`
    const lines = (text: string): Readable => Readable.from([Buffer.from(text)])
    const variants = { a: { rules: rulesText('  - { id: all, limit: 1, window: 1m }') } }
    await expect(simulate({ log: lines(line + line), variants })).rejects.toThrow(
      'rule "all" needs "ip"',
    )
    const one = line.replace('{', '{"ip":"192.0.2.1",')
    await expect(simulate({ log: lines(line + one), variants })).rejects.toThrow(
      '1 of 2 lines do not fit the format (1 no address)',
    )
    const report = await simulate({ log: lines(line + one), variants, skipBadLines: 0.5 })
    expect(report.log.skipped).toEqual({ 'no address': 1 })
    expect(report.variants[0].asked).toBe(1)
  })

  test('are an error if all rules need them and are left out', async () => {
    const text = rulesText(`
  - { id: a, key: header.x-key, limit: 1, window: 1m }
  - { id: b, key: ip, limit: 1, window: 1m, enabled: false }
`)
    const options = { log: log(), variants: { a: { rules: text } }, missing: 'skip' } as const
    await expect(simulate(options)).rejects.toThrow(
      '--missing skip leaves no rule of "site", because the log lacks fields of all of them. The first is "header.x-key" of rule "a".',
    )
  })

  test.each(['skip', 'absent'] as const)('are not an error with %s', async (missing) => {
    const { variants, notes } = await simulate({ log: log(), variants: { a: { rules } }, missing })
    expect(variants[0].denied).toBe(2)
    expect(variants[0].rules?.map(({ id }) => id)).toEqual(
      missing === 'skip' ? ['all'] : ['partners', 'all'],
    )
    expect(notes.some((note) => note.includes('partners'))).toBe(missing === 'skip')
  })

  test('are in a note of each document, with its name in the report', async () => {
    const options = { variants: { old: { rules }, new: { rules } }, baseline: 'old' } as const
    const { notes } = await simulate({ log: log(), ...options, missing: 'skip' })
    const said = 'the log lacks fields of these rules, which were left out: partners.'
    expect(notes.filter((note) => note.endsWith(said))).toEqual([`old: ${said}`, `new: ${said}`])
  })

  test('come from a table', async () => {
    const byPlan = rulesText(
      '  - { id: all, when: { plan: free }, key: user, limit: 1, window: 1m }',
    )
    const table = tableOf('user,plan\r\n"u0",free\nu2,"pro, paid"\n', 'user')
    const { variants } = await replayed(traffic(200), { variants: { a: { rules: byPlan } }, table })
    expect(variants[0].top.map(({ key }) => key.includes('u0'))).toEqual([true])
  })

  test('are not in a table without the column', () => {
    expect(() => tableOf('name,plan\nu0,free', 'user')).toThrow('Columns: name, plan')
  })
})
