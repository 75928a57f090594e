import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { RequestView } from '@sluice/core/http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadRules, pollSource, staticSource, type LoadRulesOptions } from '../../src/index.js'

interface Raw {
  readonly user?: string
}

const document = `
version: 1
name: api
values: { user: string, plan: [free, pro], note: string? }
rules:
  - { id: users, when: { path: '/api/**' }, key: user, limit: { by: plan, free: 5, pro: 50 }, window: 1m }
  - { id: hosts, when: { host: example.org, cookie.session: { present: true } }, limit: 9, window: 1m }
`

function viewOf(raw: Raw, view: Partial<RequestView<Raw>> = {}): RequestView<Raw> {
  return {
    raw,
    address: '203.0.113.9',
    peer: '203.0.113.9',
    method: 'GET',
    url: '/api/items',
    route: undefined,
    headers: {},
    trustsEveryProxy: false,
    ...view,
  }
}

const values = {
  user: (raw: Raw) => raw.user,
  plan: async () => 'pro',
}

test('judges a request by its view and by the functions of the application', async () => {
  const rules = await loadRules<Raw>({ source: staticSource(document), values })
  const raw = { user: 'ada' }
  expect(rules.name).toBe('api')
  const judgement = await rules.judge(raw, viewOf(raw))
  expect(judgement).toMatchObject({
    type: 'ask',
    version: rules.state().version,
    enforced: [{ keys: ['user', 'ada'], policies: { users: { limit: 50 } } }],
  })
  const headers = { host: 'EXAMPLE.org:8080', cookie: 'a=b; session=x' }
  const other = rules.judge(raw, viewOf(raw, { url: '/', headers }))
  expect(other).toMatchObject({ type: 'ask', enforced: [{ policies: { hosts: { limit: 9 } } }] })
})

test('calls the function of a value at most once per request, and only if a rule needs it', async () => {
  const user = vi.fn<(raw: Raw) => string>(() => 'ada')
  const plan = vi.fn<(raw: Raw) => Promise<string>>(async () => 'free')
  const rules = await loadRules<Raw>({ source: staticSource(document), values: { user, plan } })
  const raw = {}
  await rules.judge(raw, viewOf(raw, { url: '/' }))
  expect([user.mock.calls, plan.mock.calls]).toEqual([[], []])
  await rules.judge(raw, viewOf(raw))
  expect([user.mock.calls, plan.mock.calls]).toEqual([[[raw]], [[raw]]])
})

test('an error of such a function is the error of the request', async () => {
  const source = staticSource(document)
  const failing = {
    ...values,
    user: () => {
      throw new Error('no session')
    },
  }
  const rules = await loadRules<Raw>({ source, values: failing })
  await expect(async () => rules.judge({}, viewOf({}))).rejects.toThrow('no session')
  await expect(async () =>
    (await loadRules<Raw>({ source, values })).judge({}, viewOf({})),
  ).rejects.toMatchObject({ code: 'SLUICE_RULES_VALUE_MISSING' })
})

test('refuses a document that requires a value without a function, also at a reload', async () => {
  const { plan } = values
  const source = staticSource(document)
  await expect(loadRules({ source, values: { plan } })).rejects.toMatchObject({
    code: 'SLUICE_RULES_FUNCTION_MISSING',
    message: expect.stringContaining('"user"'),
  })
  const rules = await loadRules<Raw>({ source, values })
  const extended = document.replace('note: string?', 'note: string')
  await expect(rules.replace(extended)).rejects.toThrow('"note"')
  await rules.replace(document.replace('pro: 50', 'pro: 60'))
  expect(await rules.judge({ user: 'a' }, viewOf({ user: 'a' }))).toMatchObject({
    enforced: [{ policies: { users: { limit: 60 } } }],
  })
})

test('refuses a function whose name resembles a value that has none, also at a reload', async () => {
  const misspelled = { ...values, noet: () => 'a' }
  const source = staticSource(document)
  await expect(loadRules({ source, values: misspelled })).rejects.toMatchObject({
    code: 'SLUICE_RULES_FUNCTION_UNKNOWN',
    message: expect.stringContaining('Did you mean "note"?'),
  })
  const rules = await loadRules<Raw>({ source, values: { ...values, users: () => 'a' } })
  await expect(
    rules.replace(document.replace('note: string?', 'note: string?, user2: string?')),
  ).rejects.toMatchObject({ code: 'SLUICE_RULES_FUNCTION_UNKNOWN' })
})

test('warns of a function that the document does not need', async () => {
  const rules = await loadRules<Raw>({
    source: staticSource(document),
    values: { ...values, tenant: () => 'a', constructor: () => 'b' },
  })
  expect(rules.state().warnings.map(({ code, message }) => [code, message])).toEqual([
    [
      'SLUICE_RULES_FUNCTION_UNKNOWN',
      '"values" of loadRules has a function for "tenant", which the document does not declare.',
    ],
    ['SLUICE_RULES_FUNCTION_UNKNOWN', expect.stringContaining('"constructor"')],
  ])
})

test('rejects an invalid document with all of its mistakes and their places', async () => {
  const source = staticSource(
    document.replace('limit: 9', 'limt: 9').replace('key: user', 'key: usr'),
  )
  await expect(loadRules({ source })).rejects.toMatchObject({
    code: 'SLUICE_RULES_INVALID',
    findings: expect.arrayContaining([
      expect.objectContaining({ line: 6, hint: 'user' }),
      expect.objectContaining({ line: 7, hint: 'limit' }),
    ]),
  })
})

test('publishes the warnings of a document when it is loaded', async () => {
  const told: unknown[] = []
  const listen = (event: unknown): void => void told.push(event)
  subscribe('sluice:rules', listen)
  const rules = await loadRules<Raw>({ source: staticSource(document), values })
  await rules.replace(document.replace('window: 1m }', 'window: 60 }'))
  unsubscribe('sluice:rules', listen)
  const warning = { code: 'SLUICE_RULES_DURATION_SHORT', severity: 'warning', line: 6 }
  expect(told).toMatchObject([
    { state: 'loaded', warnings: [] },
    { state: 'loaded', warnings: [warning, warning] },
  ])
  expect(rules.state().warnings).toMatchObject([warning, warning])
})

test('explains the judgement about a context', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  expect(await rules.explain({ path: '/api/x', user: 'ada', plan: 'free' })).toMatchObject({
    type: 'ask',
    asked: ['users'],
    rules: [
      { id: 'users', applies: true },
      { id: 'hosts', applies: false },
    ],
  })
  expect(rules.stats().get('users')?.matched).toBe(0)
})

test('reads schedules by its clock', async () => {
  let now = Date.UTC(2030, 0, 1, 12)
  const rules = await loadRules<Raw>({
    source: staticSource(`
version: 1
name: api
schedules: { night: { from: '22:00', to: '06:00', zone: UTC } }
rules: [{ id: night, when: { during: night }, limit: 1, window: 1m }]
`),
    clock: () => now,
  })
  const typeNow = async (): Promise<string> => (await rules.judge({}, viewOf({}))).type
  expect(await typeNow()).toBe('pass')
  now = Date.UTC(2030, 0, 1, 22)
  expect(await typeNow()).toBe('ask')
})

test('a document of the application replaces the rules until they are reloaded', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  const { version } = rules.state()
  await rules.replace({ version: 1, name: 'api', rules: [{ id: 'all', limit: 1, window: '1m' }] })
  expect([...rules.stats().keys()]).toEqual(['all'])
  expect(rules.current.version).not.toBe(version)
  await rules.reload()
  expect(rules.state()).toMatchObject({ version, from: 'source' })
  rules.close()
})

test.each<[string, object]>([
  ['source', {}],
  ['source', { source: 'rules.yaml' }],
  ['values', { values: { user: 'ada' } }],
  ['keep', { keep: '' }],
  ['clock', { clock: 5 }],
  ['every', { every: '2s' }],
])('refuses the option "%s" in %j', async (name, options) => {
  const given = name === 'source' ? options : { source: staticSource(document), ...options }
  await expect(loadRules(given as LoadRulesOptions<unknown>)).rejects.toThrow(`"${name}"`)
})

test('the state is data: JSON has the message and the position of each mistake', async () => {
  let text = 'version: 1\nname: api\nrules: [{ id: all, limit: 1, window: 1m }]\n'
  const rules = await loadRules({ source: pollSource(() => text, { every: '1h' }) })
  onTestFinished(rules.close)
  text = text.replace('limit', 'limitt')
  await expect(rules.reload()).rejects.toMatchObject({ code: 'SLUICE_RULES_INVALID' })
  const { stale } = JSON.parse(JSON.stringify(rules.state()))
  expect(stale).toMatchObject({
    code: 'SLUICE_RULES_INVALID',
    findings: [
      { line: 3, column: 20, path: 'rules[0].limitt', code: 'SLUICE_RULES_OPTION_UNKNOWN' },
    ],
  })
  expect(stale.message).toContain('3:20 rules[0].limitt: there is no "limitt" here.')
})
