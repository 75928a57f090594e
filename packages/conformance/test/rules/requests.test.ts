import { express, fastify, koa, nestjs } from '@sluice/conformance/adapters'
import { loadRules, staticSource, type LoadedRules, type RulesDocument } from '@sluice/rules'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Adapter } from '../../src/adapters/adapter.js'
import { sendTarget } from './targets.js'

type Rule = RulesDocument['rules'][number]

const perHour = { limit: 2, window: '1h' } as const

/** Every framework passes on what Node has read. */
function headerOf(request: unknown, name: string): unknown {
  const { headers } = request as { readonly headers: Readonly<Record<string, unknown>> }
  return headers[name]
}

/** Functions of an application that read a header as text or as a number. */
const values = {
  points: (request: unknown) => headerOf(request, 'x-points'),
  level: (request: unknown) => {
    const sent = headerOf(request, 'x-level')
    return sent === undefined ? undefined : Number(sent)
  },
  action: (request: unknown) => headerOf(request, 'x-action') ?? undefined,
}

async function served(
  adapter: Adapter,
  rules: readonly Rule[],
  proxies: 0 | 1 = 0,
): Promise<(lines?: readonly string[], target?: string) => Promise<number>> {
  const answerOf = await answering(adapter, rules, proxies)
  return async (lines, target) => (await answerOf(lines, target)).status
}

type Answer = Awaited<ReturnType<typeof sendTarget>>

async function answering(
  adapter: Adapter,
  rules: readonly Rule[],
  proxies: 0 | 1 = 0,
): Promise<(lines?: readonly string[], target?: string) => Promise<Answer>> {
  const loaded: LoadedRules<unknown> = await loadRules({
    source: staticSource({
      version: 1,
      name: 'requests',
      values: { points: 'integer?', level: 'number?', action: ['read', 'write'] },
      rules,
    }),
    values,
  })
  const { port, close } = await adapter.serve({
    options: () => ({ rules: loaded }),
    proxies,
    place: 'app',
    handling: 'framework',
    first: () => {},
    failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
    handle: () => ({ status: 200, type: 'text/plain', body: 'hello' }),
  })
  onTestFinished(close)
  return (lines = [], target = '/') =>
    sendTarget(port, target, { lines: lines.map((line) => `${line}\r\n`).join('') })
}

describe.each([express[0], express[1], koa[1], fastify[0], ...nestjs])('$name', (adapter) => {
  test('a value of another type than declared is an error of the request, which is not allowed', async () => {
    const send = await served(adapter, [
      { id: 'cost', when: { action: 'write' }, key: [], cost: '$points', limit: 5, window: '1h' },
      { id: 'levels', when: { level: { above: 3 } }, key: [], ...perHour },
      { id: 'all', key: 'ip', limit: 3, window: '1h' },
    ])
    const write = 'x-action: write'
    const found: number[] = []
    for (const lines of [
      // A text instead of a number, an invalid number, a word that is not in the list, and no value.
      [write, 'x-points: 3'],
      [write],
      ['x-action: read', 'x-level: high'],
      ['x-action: delete'],
      [],
      ['x-action: read', 'x-level: 1'],
      ['x-action: read'],
      ['x-action: read', 'x-level: 9'],
      ['x-action: read', 'x-level: 2'],
    ]) {
      found.push(await send(lines))
    }
    expect(found).toEqual([400, 400, 400, 400, 400, 200, 200, 200, 429])
  })

  test('a request whose repeated parameter makes too many rules apply is an error of the request', async () => {
    const tenants = Array.from({ length: 40 }, (_, i) => `t${i}`)
    const send = await served(
      adapter,
      tenants.map((tenant) => ({ id: tenant, when: { 'query.t': tenant }, key: [], ...perHour })),
    )
    expect(await send([], '/?t=t1')).toBe(200)
    expect(await send([], `/?${tenants.map((tenant) => `t=${tenant}`).join('&')}`)).toBe(400)
  })

  test('X-Forwarded-Host is not the host', async () => {
    const send = await served(
      adapter,
      [
        { id: 'inside', when: { host: 'inside.example' }, then: 'allow' },
        { id: 'here', when: { host: 'here' }, key: [], ...perHour },
      ],
      1,
    )
    const forwarded = ['x-forwarded-for: 203.0.113.9', 'x-forwarded-host: inside.example']
    expect([await send(forwarded), await send(forwarded), await send(forwarded)]).toEqual([
      200, 200, 429,
    ])
  })

  test('a repeated header is not an exemption, and a repeated cookie has no further count', async () => {
    const send = await served(adapter, [
      { id: 'staff', when: { 'header.x-staff': 'yes' }, then: 'allow' },
      { id: 'cookie', key: { first: ['cookie.sid', 'ip'] }, ...perHour },
    ])
    const found: number[] = []
    for (const lines of [
      ['x-staff: yes', 'x-staff: no', 'cookie: sid=a'],
      ['x-staff: no', 'x-staff: yes', 'cookie: sid=a; sid=b'],
      ['cookie: sid=a', 'cookie: sid=c'],
      ['cookie: sid=b'],
      ['x-staff: yes', 'cookie: sid=a'],
    ]) {
      found.push(await send(lines))
    }
    expect(found).toEqual([200, 200, 429, 200, 200])
  })

  test('a request that a client could count by several values is an error of the request', async () => {
    const send = await served(adapter, [
      { id: 'free', when: { 'query.pass': 'yes' }, then: 'allow' },
      {
        id: 'item',
        when: { 'query.id': { present: true } },
        key: { first: ['query.id', 'ip'] },
        ...perHour,
      },
      { id: 'session', key: 'cookie.sid', ...perHour },
    ])
    const found: number[] = []
    for (const [target, cookie] of [
      ['/?id=A'],
      ['/?id=A'],
      ['/?id=A'],
      ['/?id=A&id=1'],
      ['/?id=2&id=A'],
      ['/?id=A&id=A'],
      ['/?id[]=3'],
      ['/?[id]=4'],
      ['/?id=A&pass=yes'],
      ['/?id=A&pass=yes&pass='],
      ['/', 'sid=A'],
      ['/', 'sid=A; sid=1'],
      ['/', 'sid=A; sid=2'],
      ['/', 'sid =3; sid=A'],
      ['/', 'sid="A4'],
    ]) {
      found.push(await send(cookie === undefined ? [] : [`cookie: ${cookie}`], target))
    }
    const items = [200, 200, 429, 400, 400, 400, 400, 400, 200, 429]
    const sessions = [200, 200, 429, 400, 400]
    expect(found).toEqual([...items, ...sessions])
  })

  test('all notations of an IPv4 address within IPv6 are that address', async () => {
    const send = await served(
      adapter,
      [
        { id: 'bad', when: { ip: '198.51.100.0/24' }, then: 'deny' },
        { id: 'address', key: 'ip', ...perHour },
      ],
      1,
    )
    const from = (address: string): Promise<number> => send([`x-forwarded-for: ${address}`])
    const found: number[] = []
    for (const address of [
      '::ffff:198.51.100.7',
      '::ffff:c633:6407',
      '0:0:0:0:0:ffff:198.51.100.7',
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::ffff:cb00:7109',
      '::ffff:203.0.113.10',
    ]) {
      found.push(await from(address))
    }
    expect(found).toEqual([403, 403, 403, 200, 200, 429, 200])
  })
})

// Express sends the status alone, or the stack outside of production.
describe.each([koa[1], fastify[0], ...nestjs])('$name', (adapter) => {
  test('a response with status 400 says what is wrong with the request, and not how to program the server', async () => {
    const tenants = Array.from({ length: 40 }, (_, i) => `t${i}`)
    const answerTo = await answering(adapter, [
      { id: 'cost', when: { action: 'write' }, key: [], cost: '$points', limit: 5, window: '1h' },
      { id: 'levels', when: { level: { above: 3 } }, key: [], ...perHour },
      ...tenants.map((tenant) => ({
        id: tenant,
        when: { 'query.t': tenant },
        key: [],
        ...perHour,
      })),
    ])
    const repeated = `/?${tenants.map((tenant) => `t=${tenant}`).join('&')}`
    for (const [lines, target, text] of [
      [[], '/', 'The request has no value "action".'],
      [['x-action: delete'], '/', 'The value "action" of the request is invalid.'],
      [['x-action: write'], '/', 'The request has no value "points".'],
      [['x-action: read'], repeated, 'The path or the parameters of the request are ambiguous.'],
    ] as const) {
      const { status, body } = await answerTo(lines, target)
      const sent = body.includes('{') ? JSON.parse(/\{[^]*\}/.exec(body)?.[0] ?? '').message : body
      expect([status, sent]).toEqual([400, text])
    }
  })
})
