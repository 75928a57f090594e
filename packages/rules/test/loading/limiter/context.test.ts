import { expect, test } from 'vitest'
import { factsOf, type RuleContext } from '../../../src/loading/limiter/context.js'
import type { RulesDocument } from '../../../src/document/document.js'

const document: RulesDocument = {
  version: 1,
  name: 'a',
  values: { user: 'string?', plan: ['free', 'pro'] },
  rules: [],
}

test('reads the fields of a context, and its values by their names', () => {
  const facts = factsOf(
    {
      method: 'POST',
      url: '/a?b=c',
      route: '/:x',
      host: 'example.org',
      ip: '203.0.113.9',
      headers: { 'User-Agent': 'bot' },
      cookies: { session: 'abc' },
      user: 'acme',
    },
    document,
  )
  expect({ ...facts }).toMatchObject({
    method: 'POST',
    url: '/a?b=c',
    route: '/:x',
    host: 'example.org',
    ip: '203.0.113.9',
  })
  expect([facts.header?.('user-agent'), facts.header?.('accept')]).toEqual(['bot', undefined])
  expect([facts.cookie?.('session'), facts.cookie?.('other')]).toEqual(['abc', undefined])
  expect([facts.value?.('user'), facts.value?.('plan')]).toEqual(['acme', undefined])
})

test('lists the names of the headers once, in any letter case', () => {
  let lists = 0
  const headers = new Proxy<Record<string, string>>(
    { 'X-A': '1', 'x-b': '2', 'X-a': '3' },
    { ownKeys: (target) => (lists++, Reflect.ownKeys(target)) },
  )
  const { header } = factsOf({ headers }, document)
  expect(['x-b', 'x-a', 'x-c', 'x-b'].map((name) => header?.(name))).toEqual([
    '2',
    '1',
    undefined,
    '2',
  ])
  expect(lists).toBe(1)
})

test('accepts a path instead of a URL', () => {
  expect(factsOf({ path: '/a' }, document).url).toBe('/a')
})

test('ignores the inherited properties of every object', () => {
  const facts = factsOf({ headers: {}, cookies: {} }, document)
  const inherited = ['header', 'cookie', 'value'].map((read) =>
    (facts[read as 'header'] as (name: string) => unknown)('constructor'),
  )
  expect(inherited).toEqual([undefined, undefined, undefined])
})

test('refuses a name that resembles an absent declared value', () => {
  expect(() => factsOf({ usr: 'acme' }, document)).toThrow(
    'the document declares no value "usr", and the context has no "user". Did you mean "user"?',
  )
})

test('accepts a name that no document declares, and a name that resembles a present value', () => {
  expect(factsOf({ tenant: 'x' }, document).value?.('user')).toBeUndefined()
  expect(factsOf({ users: 2, user: 'acme' }, document).value?.('user')).toBe('acme')
})

test.each(['method', 'url', 'path', 'route', 'host', 'ip', 'headers', 'cookies'])(
  'accepts %s, also if a declared value is absent whose name resembles it',
  (field) => {
    const resembling: RulesDocument = { ...document, values: { [`${field}s`]: 'string?' } }
    const value = field === 'headers' || field === 'cookies' ? {} : 'a'
    expect(factsOf({ [field]: value }, resembling).value?.(`${field}s`)).toBeUndefined()
    expect(() => factsOf({ [`${field}es`]: value }, resembling)).toThrow(
      `Did you mean "${field}s"?`,
    )
  },
)

test.each([[undefined], [null], ['acme'], [['acme']]])('refuses %j as a context', (context) => {
  expect(() => factsOf(context as unknown as RuleContext, document)).toThrow(
    expect.objectContaining({ code: 'SLUICE_RULES_CONTEXT_INVALID' }),
  )
})
