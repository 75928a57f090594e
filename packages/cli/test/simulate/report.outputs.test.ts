import { fixedWindow, slidingWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { simulate, type Report, type TopKey, type VariantReport } from '../../src/simulate/index.js'
import { anonymized } from '../../src/simulate/report/anonymize.js'
import { reportAsHtml } from '../../src/simulate/report/html.js'
import { reportAsText } from '../../src/simulate/report/table.js'
import { combinedLog, jsonLog, simulated, start, type Line } from './logs.js'

const key: TopKey = {
  key: '192.0.2.1',
  asked: 20,
  denied: 10,
  error: 0,
  first: '2026-11-20T00:00:00.000Z',
  last: '2026-11-20T00:01:00.000Z',
  mostlyAt: '/a',
  mostlyAtShare: 0.5,
  agent: 'curl/8.0',
  denials: [{ at: '2026-11-20T00:00:00.000Z', denied: 10 }],
}

const variant: VariantReport = {
  name: 'a',
  key: 'ip',
  policies: slidingWindow({ limit: 10, window: '1m' }),
  asked: 1000,
  unkeyed: 0,
  denied: 10,
  keys: 12_345,
  keysDenied: 1,
  worst: { from: '2026-11-20T00:00:00.000Z', share: 0.25 },
  streak: { key: '192.0.2.1', length: 3 },
  denials: [],
  top: [key],
}

const report: Report = {
  version: 1,
  log: {
    files: ['a.log'],
    format: 'combined',
    lines: 4_512_903,
    skipped: { 'no time': 5, 'not HTTP': 1009 },
    late: 1003,
    from: '2026-11-20T00:00:00.000Z',
    to: '2026-11-20T23:59:59.000Z',
    sampled: 1,
    spread: false,
    time: 'arrival',
    limited: 0,
    truncated: false,
  },
  intervalMs: 1000,
  requests: [],
  variants: [variant],
  notes: [],
}

const compared = {
  baseline: 'old',
  variant: 'new',
  asked: 1000,
  requestsNewlyDenied: 2,
  requestsNewlyAllowed: 1,
  keysNewlyDenied: 1,
  keysNewlyAllowed: 1,
  newlyDenied: [key],
  newlyAllowed: [{ ...key, key: '198.51.100.7' }],
}

function text(changes: Partial<Report>, tookMs = 2000): string {
  return reportAsText({ ...report, ...changes }, { tookMs })
}

function withTop(changes: Partial<TopKey>): Partial<Report> {
  return { variants: [{ ...variant, top: [{ ...key, ...changes }] }] }
}

describe('the text', () => {
  test('has the size of the log, and the speed', () => {
    expect(text({}).split('\n').slice(0, 2)).toEqual([
      'a.log  4 512 903 lines, 2026-11-20T00:00:00.000Z … 2026-11-20T23:59:59.000Z, 12 345 keys',
      'format combined; 2.0 s, 2 256 452 lines/s',
    ])
  })

  test('has the share of a limit and its worst five minutes', () => {
    expect(text({})).toMatch(/\na +10 +1\.00 % +1 +25\.00 % +3\n/)
    const none = { ...variant, asked: 0, denied: 0, suggested: true } as const
    expect(text({ variants: [none] })).toMatch(/\na \(suggested\) +0 +0\.00 % +1 /)
  })

  test('names a path if a tenth of the denied requests had it', () => {
    expect(text(withTop({}))).toContain('10 of 20   /a (50 %)  "curl/8.0"')
    expect(text(withTop({ mostlyAtShare: 0.1 }))).toContain('/a (10 %)')
    expect(text(withTop({ mostlyAtShare: 0.099 }))).toContain('many paths')
  })

  test('states an upper bound as one', () => {
    expect(text(withTop({ error: 4 }))).toContain('  192.0.2.1  ≤ 10 of 20')
  })

  test('shortens long paths and user agents', () => {
    const long = text(withTop({ mostlyAt: `/${'a'.repeat(60)}`, agent: 'b'.repeat(90) }))
    expect(long).toContain(`/${'a'.repeat(48)}… (50 %)  "${'b'.repeat(59)}…"`)
  })

  test('has at most ten keys of the first limit', () => {
    const top = Array.from({ length: 12 }, (_, i) => ({ ...key, key: `key-${i}` }))
    const lines = text({ variants: [{ ...variant, top }, variant] }).match(/key-\d+/g)
    expect(lines).toHaveLength(10)
  })

  test('counts the lines that were skipped, and those that were late', () => {
    expect(text({})).toContain('skipped: 1 014 lines (5 no time, 1 009 not HTTP)\n')
    expect(text({})).toContain('late: 1 003 lines, replayed after their own time\n')
    const clean = text({ log: { ...report.log, skipped: {}, late: 0 } })
    expect(clean).not.toMatch(/skipped|late/)
  })

  test('lists the rules of a document, and what changes', () => {
    const rules = [{ id: 'login', asked: 1200, denied: 30, shadowDenied: 4 }]
    const shown = text({ variants: [{ ...variant, rules }], compared })
    expect(shown).toMatch(/\nrules of a +asked +denied +denied in shadow\nlogin +1 200 +30 +4\n/)
    expect(shown).toContain(
      '\nnew compared with old: 2 requests of 1 keys are newly denied, 1 requests of 1 keys newly allowed\nnewly denied\n  192.0.2.1 ',
    )
    expect(shown).toMatch(/\nnewly allowed\n {2}198\.51\.100\.7 {2}/)
  })
})

test('text of a log cannot close the element of the data on the page', async () => {
  const agent = '</script><script>attack()</script><!--'
  const page = await reportAsHtml({ ...report, ...withTop({ agent }) })
  const [, data = ''] =
    /<script type="application\/json" id="report">(.*?)<\/script>/s.exec(page) ?? []
  expect(data).not.toContain('<')
  expect(JSON.parse(data)).toEqual({ ...report, ...withTop({ agent }) })
  expect(page).toMatch(/script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'/)
})

describe('anonymized', () => {
  test('hashes each key in the same way, and keeps no path, user agent or error', () => {
    const hidden = anonymized({
      ...report,
      compared,
      notes: ['site: 3 requests could not be judged; the first error: the plan is "gold"', 'more'],
    })
    const hash = hidden.variants[0].streak.key
    expect(hash).toMatch(/^#[0-9a-f]{16}$/)
    const { agent: _agent, ...rest } = key
    const own = { ...rest, key: hash, mostlyAt: '' }
    expect(hidden.variants[0].top).toEqual([own])
    expect(hidden.compared?.newlyDenied).toEqual([own])
    const [allowed] = hidden.compared?.newlyAllowed ?? []
    expect(allowed).toEqual({ ...own, key: allowed.key })
    expect(allowed.key).toMatch(/^#[0-9a-f]{16}$/)
    expect(allowed.key).not.toBe(hash)
    expect(hidden.notes).toEqual(['site: 3 requests could not be judged.', 'more'])
    expect(anonymized(report).variants[0].streak.key).not.toBe(hash)
  })

  test('a report without denials has no key to hash', () => {
    const streak = { key: '', length: 0 }
    expect(
      anonymized({ ...report, variants: [{ ...variant, streak }] }).variants[0].streak,
    ).toEqual(streak)
  })
})

describe('notes', () => {
  const variants = {
    ip: { policies: fixedWindow({ limit: 5, window: '1m' }) },
    user: { policies: fixedWindow({ limit: 5, window: '1m' }), key: 'user' },
  }
  const lines: readonly Line[] = [
    { at: start + 1, ip: '192.0.2.1', durationMs: 5 },
    { at: start + 2, ip: '192.0.2.1', durationMs: 5, status: 429 },
  ]

  test('of a log without durations and with whole seconds', async () => {
    const { notes } = await simulated(combinedLog(lines), { variants, sample: 0.999 })
    expect(notes).toEqual([
      'The log shows how clients behaved without these limits. Denied clients react: some stop, others retry.',
      'The log has no durations. Each request is replayed at the time of its line, which is the end of the response.',
      'The log has whole seconds. The requests of each second are spread evenly over it.',
      '1 request in the log had the status 429, from another limiter. They are replayed like all others.',
      'Only 99.9 % of the keys were replayed, with all their requests.',
      'user: requests without the key user are not limited: 2.',
    ])
  })

  test('of a log with durations and milliseconds', async () => {
    const { notes, variants: reports } = await simulate({ log: jsonLog(lines), variants })
    expect(notes).toHaveLength(3)
    expect(notes[1]).toMatch(/^1 request in the log had the status 429/)
    expect(reports.map(({ asked, unkeyed }) => [asked, unkeyed])).toEqual([
      [2, 0],
      [0, 2],
    ])
  })
})

test('each list of keys has 20 of them, or as many as the caller asks for', async () => {
  const lines = Array.from({ length: 60 }, (_, i) => ({
    at: start + 1 + i,
    ip: `192.0.2.${i % 30}`,
  }))
  const variants = { only: { policies: fixedWindow({ limit: 1, window: '1h' }) } }
  const lengthOf = async (options: { readonly top?: number }): Promise<number> =>
    (await simulate({ log: jsonLog(lines), variants, ...options })).variants[0].top.length
  expect(await lengthOf({})).toBe(20)
  expect(await lengthOf({ top: 7 })).toBe(7)
  expect(await lengthOf({ top: 100 })).toBe(30)
})
