import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit } from '../src/index.js'
import { reportedAddress } from '../src/platform.js'
import { Connection } from './connection.js'

const request = (): Request => new Request('http://host/')

/** The server of Bun, whose method is that of its class. */
class BunServer {
  readonly #address: string | undefined

  constructor(address?: string) {
    this.#address = address
  }

  requestIP(_request: Request): { readonly address: string } | null {
    return this.#address === undefined ? null : { address: this.#address }
  }
}

/** The information of Deno about a connection, whose getter is that of its class. */
class DenoInfo {
  readonly #remote: object

  constructor(remote: object) {
    this.#remote = remote
  }

  get remoteAddr(): object {
    return this.#remote
  }
}

const tcp = new DenoInfo({ transport: 'tcp', hostname: '192.0.2.2', port: 1 })
const unix = new DenoInfo({ transport: 'unix', path: '/s' })
const incoming = { socket: new Connection('192.0.2.3') }

function on(runtime: string): void {
  if (runtime !== 'Node') vi.stubGlobal(runtime, {})
  onTestFinished(() => void vi.unstubAllGlobals())
}

test.each<[string, string, readonly unknown[], string | undefined]>([
  ['Bun', 'the server', [new BunServer('192.0.2.1')], '192.0.2.1'],
  ['Bun', 'the server, after the connection', [new BunServer()], undefined],
  ['Deno', 'the information about a connection', [tcp], '192.0.2.2'],
  ['Deno', 'that about a unix socket', [unix], undefined],
  ['Node', 'the request of Node in a record', [{ incoming }], '192.0.2.3'],
  ['Workers', 'the environment and the context', [{ KV: {} }, { waitUntil() {} }], undefined],
  ['Node', 'nothing', [], undefined],
])('on %s, %s is the source of the address', (runtime, _, rest, address) => {
  on(runtime)
  expect(reportedAddress(request(), rest)).toBe(address)
})

const forged = {
  remoteAddr: { hostname: '6.6.6.6' },
  remoteAddress: '6.6.6.6',
  incoming: { socket: { remoteAddress: '6.6.6.6' }, remoteAddress: '6.6.6.6' },
  requestIP: { address: '6.6.6.6' },
  runtime: { name: 'node', node: { req: { socket: { remoteAddress: '6.6.6.6' } } } },
  ip: '6.6.6.6',
}

/** As applications turn a body into an object of a class. */
class Login {
  readonly user: string = ''
}

/** All that JSON and usual copies of it can make. */
const bodies: readonly (readonly [string, unknown])[] = [
  ['a body', JSON.parse(JSON.stringify(forged))],
  ['a body in a list', [JSON.parse(JSON.stringify(forged))]],
  ['a prototype', Object.assign({}, JSON.parse(`{"__proto__":${JSON.stringify(forged)}}`))],
  ['an object of a class', Object.assign(new Login(), forged)],
]

describe.each(['Bun', 'Deno', 'Node'])('on %s, no client chooses its address by', (runtime) => {
  test.each(bodies)('%s that a handler gets', (_, body) => {
    on(runtime)
    for (const rest of [[body], [undefined, body], [{ incoming: body }]]) {
      expect(reportedAddress(request(), rest)).toBeUndefined()
    }
  })

  test.each(bodies)('%s with which the request is extended', (_, body) => {
    on(runtime)
    const extended = Object.assign(request(), body)
    expect(reportedAddress(extended, [])).toBeUndefined()
  })
})

test('the objects of other runtimes, and those in another place, report none', () => {
  expect(reportedAddress(request(), [tcp])).toBeUndefined()
  expect(reportedAddress(request(), [new BunServer('192.0.2.1')])).toBeUndefined()
  on('Deno')
  expect(reportedAddress(request(), [{}, tcp])).toBeUndefined()
  expect(reportedAddress(request(), [new BunServer('192.0.2.1')])).toBeUndefined()
})

test('a handler within another one counts by the address of the connection, and not by that of a body', async () => {
  const all = rateLimit({ name: 'all', limit: 100, window: '1m' })
  const logins = rateLimit({ name: 'logins', limit: 1, window: '1m' })
  const logIn = logins((_request: Request, _body: unknown) => new Response('hello'))
  const server = all((asked: Request, _env: object) => logIn(asked, forged))
  const statuses = []
  for (let i = 0; i < 2; i++) statuses.push((await server(request(), { incoming })).status)
  expect(statuses).toEqual([200, 429])
})

describe('srvx', () => {
  test.each<[string, object]>([
    ['Node', { name: 'node', node: { req: incoming } }],
    ['Bun', { name: 'bun', bun: { server: new BunServer('192.0.2.3') } }],
    ['Deno', { name: 'deno', deno: { info: tcp } }],
  ])(
    'on %s reports an address in the request, which can be that in front of its proxy',
    (name, runtime) => {
      on(name)
      const made = Object.assign(request(), { runtime, ip: '192.0.2.4' })
      expect(reportedAddress(made, [])).toBe('192.0.2.4')
    },
  )

  test('on Cloudflare reports that of a header, which is not read', () => {
    const made = Object.assign(request(), { runtime: { name: 'cloudflare' }, ip: '6.6.6.6' })
    expect(reportedAddress(made, [])).toBeUndefined()
  })
})

test('the address that Next.js takes from a header is not used', () => {
  expect(reportedAddress(Object.assign(request(), { ip: '6.6.6.6' }), [])).toBeUndefined()
})
