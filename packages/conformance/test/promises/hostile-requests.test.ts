import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { RateLimitOptions } from '@sluice/core/http'
import { byHeader, byIp, byUser, firstOf, rateLimit, SluiceError } from '@sluice/express'
import express from 'express'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'

// Bytes on a socket that no client library would send. Each request is allowed, denied or refused, and the server continues.

interface Answer {
  readonly status: number
  readonly head: string
}

interface Server {
  /** Sends these header lines and a body, byte by byte, and returns the response. */
  send(lines: string, body?: string): Promise<Answer>
  /** Sends this JSON as the body. */
  post(body: string): Promise<Answer>
  /** The codes of the errors of requests. */
  readonly codes: string[]
}

type Case = Pick<RateLimitOptions<express.Request, never>, 'limit' | 'policies' | 'key' | 'headers'>

async function serve(options: Case, trust?: unknown): Promise<Server> {
  const app = express()
  if (trust !== undefined) app.set('trust proxy', trust)
  const codes: string[] = []
  const { policies, limit = 2, ...rest } = options
  const rule = policies === undefined ? { limit, window: '1h' } : { policies }
  app.use(express.json())
  app.use(rateLimit({ name: 'api', ...rule, ...rest }))
  app.get('/', (_request, response) => void response.send('here'))
  app.use(
    (
      error: unknown,
      _request: express.Request,
      response: express.Response,
      _next: express.NextFunction,
    ) => {
      const isCoded = error instanceof SluiceError
      codes.push(isCoded ? error.code : String(error))
      response.status((isCoded ? error.status : undefined) ?? 500).end()
    },
  )
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  async function send(lines: string, body = ''): Promise<Answer> {
    const socket = connect(port, '127.0.0.1')
    const request = `GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n${lines}\r\n${body}`
    // Not ended here: Node's server sends no response to a client that has closed its side before.
    socket.write(Buffer.from(request, 'latin1'))
    socket.setEncoding('latin1')
    const answer = await text(socket)
    const [head] = answer.split('\r\n\r\n')
    return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head }
  }

  async function post(body: string): Promise<Answer> {
    const length = Buffer.byteLength(body, 'latin1')
    return send(`Content-Type: application/json\r\nContent-Length: ${length}\r\n`, body)
  }

  return { codes, send, post }
}

/** Every byte that is valid in the value of a header (RFC 9110, section 5.5), and some that are not. */
const bytes = Array.from({ length: 256 }, (_, i) => i)
const allowed = bytes.filter((byte) => byte >= 0x20 && byte !== 0x7f)

test('each byte in a header value makes a different client, and an invalid byte is refused', async () => {
  const { send, codes } = await serve({ key: byHeader('X-API-Key') })
  const statuses: number[][] = []
  for (const byte of bytes) {
    const line = `X-API-Key: key${String.fromCharCode(byte)}key\r\n`
    statuses.push([(await send(line)).status, (await send(line)).status, (await send(line)).status])
  }
  const refused = bytes.filter((byte) => !allowed.includes(byte) && byte !== 0x09)
  expect(bytes.filter((_, i) => statuses[i].join() === '200,200,429')).toEqual(
    bytes.filter((byte) => !refused.includes(byte)),
  )
  expect(refused.map((byte) => statuses[byte].join())).toEqual(refused.map(() => '400,400,400'))
  expect(codes).toEqual([])
})

test('a request without the header, or with an empty value, is an error with a code', async () => {
  const { send, codes } = await serve({ key: byHeader('X-API-Key') })
  expect([(await send('')).status, (await send('X-API-Key:\r\n')).status]).toEqual([400, 400])
  expect(codes).toEqual(['SLUICE_HEADER_MISSING', 'SLUICE_HEADER_MISSING'])
})

test('the header fields are valid for policies of any names', async () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })
  const hostile = fc.constantFrom(
    'a\r\nSet-Cookie: a=b',
    '"',
    '\\',
    '";q=9',
    '\0',
    '\u{1F600}',
    ',',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.oneof(name, hostile), { minLength: 1, maxLength: 4 }),
      async (names) => {
        const policies = Object.fromEntries(
          names.map((each) => [each, { kind: 'fixedWindow', limit: 2, window: 3_600_000 }]),
        )
        const { send, codes } = await serve({
          policies,
          key: 'everybody',
          headers: ['draft', 'legacy'],
        })
        const answers = [await send(''), await send(''), await send('')]
        expect([answers.map(({ status }) => status), codes]).toEqual([[200, 200, 429], []])
        for (const { head } of answers) {
          expect(/^set-cookie/im.test(head)).toBe(false)
          const [policy] = /^RateLimit-Policy: ([\x20-\x7E]*)$/m.exec(head)?.slice(1) ?? ['']
          expect(policy.match(/"(?:[^"\\]|\\.)*";q=2;w=3600/g)).toHaveLength(names.length)
        }
      },
    ),
    { numRuns: runs(30) },
  )
})

/** Values before the last address, which the trusted proxy writes. A client can forge them. */
const junk = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ',',
    ',,,',
    'unknown',
    '_hidden',
    'localhost',
    '127.0.0.1',
    '::1',
    '256.256.256.256',
    '1.2.3',
    '0x7f.1',
    '017.0.0.1',
    '1.2.3.4:99999',
    '[::1',
    '::ffff:127.0.0.1',
    'fe80::1%eth0',
    'for="[2001:db8::1]"',
    '1'.repeat(4000),
    '<script>',
    '\xFF\xFE',
    '__proto__',
  ),
  fc
    .array(fc.constantFrom(...allowed), { maxLength: 30 })
    .map((codes) => String.fromCharCode(...codes)),
)

test('behind one proxy, values before the proxy’s entry do not change which client is counted', async () => {
  const { send, codes } = await serve({ key: byIp(), limit: 1_000_000 }, 1)
  let used = 0
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { maxLength: 4 }), async (list) => {
      const line = `X-Forwarded-For: ${[...list, '203.0.113.9'].join(',')}\r\n`
      const { status, head } = await send(line)
      const [, left] = /^RateLimit: "api";r=(\d+)/m.exec(head) ?? []
      used++
      expect([status, Number(left)]).toEqual([200, 1_000_000 - used])
    }),
    { numRuns: runs(200) },
  )
  expect(codes).toEqual([])
})

test('a text that is not an address is an error with a code, never allowed and never a shared count', async () => {
  const { send, codes } = await serve({ key: byIp() }, 1)
  const noAddresses = [
    'unknown',
    '_hidden',
    'localhost',
    '256.256.256.256',
    '1.2.3',
    '0x7f.1',
    '1.2.3.4:port',
    '[::1',
    ':::1',
    'fe80::1::2',
    '<script>',
    '\xFF\xFE',
    '__proto__',
    '1'.repeat(4000),
  ]
  for (const value of noAddresses) {
    expect([value, (await send(`X-Forwarded-For: ${value}\r\n`)).status]).toEqual([value, 500])
  }
  expect(codes).toEqual(noAddresses.map(() => 'SLUICE_ADDRESS_MISSING'))
})

test.each([
  ['with ports', ['203.0.113.9', '203.0.113.9:80', '203.0.113.9:65535']],
  [
    'in the clothes of IPv6',
    ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '[::ffff:203.0.113.9]:80'],
  ],
  ['of one subnet', ['2001:db8::1', '2001:db8::2', '[2001:db8::3]', '[2001:DB8:0:0::4]:443']],
  [
    'behind NAT64',
    ['203.0.113.9', '64:ff9b::203.0.113.9', '64:FF9B::cb00:7109', '[64:ff9b::cb00:7109]:80'],
  ],
  ['with zones', ['fe80::1', 'fe80::1%eth0', 'fe80::2%lo', '[fe80::3%1]:80']],
])('one client has one count in every notation of its address: %s', async (_, forms) => {
  const { send, codes } = await serve({ key: byIp(), limit: forms.length }, 1)
  const statuses: number[] = []
  for (const form of forms) statuses.push((await send(`X-Forwarded-For: ${form}\r\n`)).status)
  expect([statuses, (await send(`X-Forwarded-For: ${forms[0]}\r\n`)).status, codes]).toEqual([
    forms.map(() => 200),
    429,
    [],
  ])
})

test('with no proxy trusted, the header changes nothing', async () => {
  const { send } = await serve({ key: byIp() })
  const statuses: number[] = []
  for (const value of ['203.0.113.1', '203.0.113.2', '203.0.113.3', 'junk']) {
    statuses.push((await send(`X-Forwarded-For: ${value}\r\n`)).status)
  }
  expect(statuses).toEqual([200, 200, 429, 429])
})

// The application expects a string, and the client may send any JSON.

type KeyOption = NonNullable<Case['key']>

const ways: readonly (readonly [string, KeyOption])[] = [
  ['a function', (request) => request.body.name],
  ['a promise', async (request) => request.body.name],
  ['a function’s function', () => (request) => request.body.name],
  ['a list that is put together', (request) => ['name', request.body.name]],
  ['a part', ['name', (request) => request.body.name]],
  ['a part beside others', [byIp(), (request) => request.body.name]],
  ['a policy’s function', { default: (request) => request.body.name }],
  ['a policy’s part', { default: ['name', (request) => request.body.name] }],
  ['byUser', byUser((request) => request.body.name)],
  ['a policy’s byUser', { default: byUser((request) => request.body.name) }],
  ['firstOf', firstOf((request) => request.body.name)],
]

const noKeys = [
  '{}',
  '{"name":null}',
  '{"name":""}',
  '{"name":true}',
  '{"name":{}}',
  '{"name":{"default":null}}',
  '{"name":{"default":"x"}}',
  '{"name":{"other":"x"}}',
  '{"name":{"__proto__":null}}',
  '{"name":{"length":1,"0":"x"}}',
  '{"name":{"toString":"x"}}',
  '{"name":[]}',
  '{"name":["138"]}',
  '{"name":["138","x"]}',
  '{"name":["138",null]}',
  '{"name":["user","42"]}',
  '{"name":[["138","x"]]}',
  '{"name":[{"default":"x"}]}',
  '{"name":1.5}',
  '{"name":1e400}',
  '{"name":9007199254740993}',
]

test.each(ways)(
  'no JSON avoids the limit, neither without a count nor with a new count for each request, if the key is found by %s',
  async (_, key) => {
    const { post, codes } = await serve({ key })
    const statuses: number[] = []
    for (const body of noKeys) statuses.push((await post(body)).status)
    expect(statuses).toEqual(noKeys.map(() => 400))
    expect(codes.filter((code) => !/^SLUICE_(?:KEY_INVALID|USER_MISSING)$/.test(code))).toEqual([])
    for (let i = 0; i < 3; i++) statuses.push((await post('{"name":"138"}')).status)
    expect(statuses.slice(-3)).toEqual([200, 200, 429])
  },
)

test('a number and its text are one client', async () => {
  const { post } = await serve({ key: ['phone', (request) => request.body.phone] })
  const forms = ['138', '"138"', '138.0', '1.38e2', '"139"']
  const statuses: number[] = []
  for (const form of forms) statuses.push((await post(`{"phone":${form}}`)).status)
  expect(statuses).toEqual([200, 200, 429, 429, 200])
})

test('a client that sends a list instead of its name cannot use up the limit of a user', async () => {
  const { send, post } = await serve({
    key: (request) =>
      request.get('x-user') ? ['user', request.get('x-user') ?? ''] : request.body.name,
  })
  expect((await post('{"name":["user","42"]}')).status).toBe(400)
  expect((await send('X-User: 42\r\n')).status).toBe(200)
  expect((await post('{"name":["user","42"]}')).status).toBe(400)
  expect((await send('X-User: 42\r\n')).status).toBe(200)
})

test('if the user is missing, the address is counted, in whatever form the client omits the user', async () => {
  const { post, codes } = await serve({
    key: firstOf(
      byUser((request) => request.body.id),
      byIp(),
    ),
  })
  const statuses: number[] = []
  for (const body of ['{}', '{"id":null}', '{"id":[]}', '{"id":{"default":null}}']) {
    statuses.push((await post(body)).status)
  }
  expect([statuses, codes]).toEqual([[200, 200, 429, 429], []])
})
