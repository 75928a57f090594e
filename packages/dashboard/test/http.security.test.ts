import { request as send, type IncomingMessage } from 'node:http'
import process from 'node:process'
import { createLimiter, fixedWindow } from '@sluice/core'
import { describe, expect, test, vi } from 'vitest'
import type { Authorization } from '../src/index.js'
import { errorOf } from '../../core/test/error-of.js'
import { dashboardWith } from '../src/dashboard.js'
import { pageFolder } from './page.js'
import { actHeaders, listen, serveDashboard, type Served } from './served.js'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

const block = { limiter: 'secure', key: 'ann', act: 'block', length: '1m', reason: 'a test' }

type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** A request with exactly these headers: `fetch` would add its own. */
async function ask(url: string, method: string, headers: Headers = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const request = send(url, { method, headers: { ...headers, ...length } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function blockedMs(limiter: ReturnType<typeof secured>): number {
  return limiter.status('ann').policies['default'].blockedMs
}

function secured() {
  return createLimiter({ name: 'secure', policies: fixedWindow({ limit: 5, window: '1m' }) })
}

async function served(
  authorize: (request: IncomingMessage) => unknown = () => 'write',
): Promise<Served & { readonly limiter: ReturnType<typeof secured> }> {
  const limiter = secured()
  const given = authorize as (request: IncomingMessage) => Authorization
  const board = await serveDashboard({ limiters: { limiter }, authorize: given })
  return { ...board, limiter }
}

const paths = [
  '',
  'app.js',
  'style.css',
  'parts/chart.js',
  'api/view',
  'api/key?limiter=secure&key=ann',
  'nothing',
]

test('without `authorize`, no dashboard is created', () => {
  const error = errorOf(() => dashboardWith({ limiters: {} } as never, pageFolder))
  expect(error.code).toBe('SLUICE_OPTION_MISSING')
  expect(error.message).toContain('"authorize" is missing')
  expect(error.message).toContain('no default')
})

describe.each<[string, () => unknown, number, number]>([
  ['undefined', () => undefined, 403, 403],
  ['null', () => null, 403, 403],
  ['false', () => false, 403, 403],
  ['true', () => true, 403, 403],
  ['another word', () => 'admin', 403, 403],
  ['no role in an object', () => ({ name: 'ann' }), 403, 403],
  [
    'an error',
    () => {
      throw new Error('no session')
    },
    403,
    403,
  ],
  ['a rejection', async () => Promise.reject(new Error('no session')), 403, 403],
  ['the role read', () => 'read', 200, 403],
  ['a promise of read', async () => 'read', 200, 403],
  ['the role read and a name', () => ({ role: 'read', name: 'ann' }), 200, 403],
  ['the role write', () => 'write', 200, 200],
  ['a promise of write and a name', async () => ({ role: 'write', name: 'ann' }), 200, 200],
])('`authorize` returns %s', (_, authorize, read, write) => {
  test('the answers to requests', async () => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { url, limiter } = await served(authorize)
    for (const path of paths) {
      const { status, headers } = await ask(url + path, 'GET')
      expect([path, status]).toEqual([path, read === 200 && path === 'nothing' ? 302 : read])
      expect(headers['content-security-policy']).toBe(policy)
    }
    const acted = await ask(`${url}api/act`, 'POST', actHeaders, JSON.stringify(block))
    expect(acted.status).toBe(write)
    expect(acted.headers['content-security-policy']).toBe(policy)
    expect(blockedMs(limiter) > 0).toBe(write === 200)
    warnings.mockRestore()
  })
})

test('`authorize` answers with a challenge, at which a browser asks for a name and a password', async () => {
  const challenge = 'Basic realm="limits"'
  const { url } = await served(({ headers }) =>
    headers.authorization === 'Basic YW5uOnNlY3JldA==' ? 'write' : { challenge },
  )
  for (const path of ['', 'app.js', 'api/view']) {
    const { status, headers, text } = await ask(url + path, 'GET')
    expect([status, headers['www-authenticate']]).toEqual([401, challenge])
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'SLUICE_VIEW_UNAUTHORIZED' } })
    const known = { authorization: 'Basic YW5uOnNlY3JldA==' }
    expect((await ask(url + path, 'GET', known)).status).toBe(200)
  }
  const acted = await ask(`${url}api/act`, 'POST', actHeaders, JSON.stringify(block))
  expect(acted.status).toBe(401)
})

test.each([
  ['a line end', 'Basic\r\nx: 1'],
  ['no text', 7],
  ['an empty text', ''],
])('a challenge with %s is refused like any wrong result', async (_, challenge) => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { url } = await served(() => ({ challenge }))
  expect((await ask(url, 'GET')).status).toBe(403)
  warnings.mockRestore()
})

test('an `authorize` that never answers refuses the request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  try {
    const { url } = await served(async () => new Promise(() => {}))
    const answer = ask(url, 'GET')
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(5000)
      expect(warnings).toHaveBeenCalled()
    })
    expect((await answer).status).toBe(403)
  } finally {
    warnings.mockRestore()
    vi.useRealTimers()
  }
})

test('the error of `authorize` is a warning of the process, and not in the answer', async () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const error = new Error('the session store is down')
  const { url } = await served(() => {
    throw error
  })
  expect((await ask(url, 'GET')).text).not.toContain('session store')
  expect(warnings).toHaveBeenCalledWith(error)
  warnings.mockRestore()
})

test('requests that fail do not fill the log, and each code is a warning', async () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  let error: Error & { code?: string } = new Error('no session')
  const { url } = await served(() => {
    throw error
  })
  const seen = [error, Object.assign(new Error('gone'), { code: 'E1' }), new TypeError('no user')]
  for (error of [...seen, ...seen]) {
    for (let i = 0; i < 10; i++) expect((await ask(url, 'GET')).status).toBe(403)
  }
  expect(warnings.mock.calls).toEqual(seen.map((one) => [one]))
  warnings.mockRestore()
})

describe('an act needs', () => {
  const json = { 'content-type': 'application/json' }
  const own = { ...json, 'x-sluice': '1' }

  test.each<[string, number, string | undefined, Headers]>([
    ['the page itself', 200, undefined, { ...own, 'sec-fetch-site': 'same-origin' }],
    ['a page of another site', 403, 'FOREIGN', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['a page of a subdomain', 403, 'FOREIGN', { ...own, 'sec-fetch-site': 'same-site' }],
    ['an address that was entered', 403, 'FOREIGN', { ...own, 'sec-fetch-site': 'none' }],
    ['its own origin', 200, undefined, { ...own, origin: 'OWN' }],
    ['another origin', 403, 'FOREIGN', { ...own, origin: 'https://example.com' }],
    ['its own host at another port', 403, 'FOREIGN', { ...own, origin: 'http://127.0.0.1:1' }],
    ['the origin null', 403, 'FOREIGN', { ...own, origin: 'null' }],
    [
      'the page itself behind a proxy that changes the host',
      200,
      undefined,
      { ...own, 'sec-fetch-site': 'same-origin', origin: 'https://example.com' },
    ],
    [
      'its own origin and another site',
      403,
      'FOREIGN',
      { ...own, origin: 'OWN', 'sec-fetch-site': 'cross-site' },
    ],
    ['no browser', 200, undefined, own],
    ['no browser, and no header', 403, 'HEADER_MISSING', json],
    [
      'the page itself, and no header',
      403,
      'HEADER_MISSING',
      { ...json, 'sec-fetch-site': 'same-origin' },
    ],
    ['another value of the header', 403, 'HEADER_MISSING', { ...json, 'x-sluice': '0' }],
    [
      'a form',
      400,
      'BODY_INVALID',
      { 'x-sluice': '1', 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['a text', 400, 'BODY_INVALID', { 'x-sluice': '1', 'content-type': 'text/plain' }],
    ['no content type', 400, 'BODY_INVALID', { 'x-sluice': '1' }],
    [
      'JSON with a charset',
      200,
      undefined,
      { ...own, 'content-type': 'Application/JSON; charset=utf-8' },
    ],
  ])('%s: %i', async (_, status, code, headers) => {
    const { url, limiter } = await served()
    const { origin } = headers
    const sent = origin === 'OWN' ? { ...headers, origin: new URL(url).origin } : headers
    const answer = await ask(`${url}api/act`, 'POST', sent, JSON.stringify(block))
    expect([answer.status, answer.headers['content-security-policy']]).toEqual([status, policy])
    expect(blockedMs(limiter) > 0).toBe(status === 200)
    if (code !== undefined) expect(errorIn(answer)).toBe(`SLUICE_VIEW_${code}`)
  })
})

test('the data are not for pages of other origins', async () => {
  const { url } = await served()
  for (const path of ['api/view', 'api/key?limiter=secure&key=a', 'api/search?limiter=secure']) {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await ask(url + path, 'GET', { 'sec-fetch-site': site })
      expect([answer.status, errorIn(answer)]).toEqual([403, 'SLUICE_VIEW_FOREIGN'])
    }
  }
  for (const site of ['same-origin', 'none']) {
    expect((await ask(`${url}api/view`, 'GET', { 'sec-fetch-site': site })).status).toBe(200)
  }
})

test.each([
  ['', 'GET, HEAD'],
  ['app.js', 'GET, HEAD'],
  ['api/view', 'GET, HEAD'],
  ['api/key?limiter=secure&key=a', 'GET, HEAD'],
  ['api/search?limiter=secure', 'GET, HEAD'],
  ['api/act', 'POST'],
])('%s takes only the methods %s', async (path, allow) => {
  const { url, limiter } = await served()
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
    const { status, headers, text } = await ask(url + path, method, actHeaders)
    expect(headers['content-security-policy']).toBe(policy)
    if (allow.split(', ').includes(method)) {
      expect(status).not.toBe(405)
      if (method === 'HEAD') expect(text).toBe('')
    } else expect([method, status, headers.allow]).toEqual([method, 405, allow])
  }
  expect(blockedMs(limiter)).toBe(0)
})

test('HEAD has the headers of GET', async () => {
  const { url } = await served()
  for (const path of ['', 'app.js', 'api/key?limiter=secure&key=a']) {
    const [get, head] = [await ask(url + path, 'GET'), await ask(url + path, 'HEAD')]
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
    }
  }
})

test('nothing is stored, except the files of the page, which are asked for again', async () => {
  const { url } = await served()
  for (const path of ['api/view', 'api/key?limiter=secure&key=a', 'api/nothing', 'api/act']) {
    expect((await ask(url + path, 'GET')).headers['cache-control']).toBe('no-store')
  }
  const { headers } = await ask(`${url}app.js`, 'GET')
  expect(headers['cache-control']).toBe('private, no-cache')
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  const etag = headers.etag ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await ask(`${url}app.js`, 'GET', { 'if-none-match': known })
    expect([again.status, again.text, again.headers['content-security-policy']]).toEqual([
      304,
      '',
      policy,
    ])
  }
  expect((await ask(`${url}app.js`, 'GET', { 'if-none-match': '"other"' })).status).toBe(200)
})

test.each([
  '../package.json',
  '..%2fpackage.json',
  'parts/../../package.json',
  'notes.md',
  'parts',
  'api',
  'api/',
  'api/views',
  'api/act/',
  'constructor',
  '__proto__',
])('no file beside the page is served: %s', async (path) => {
  const { url } = await served()
  const { status, text } = await ask(url + path, 'GET')
  expect(text).not.toContain('@sluice')
  expect(text).not.toContain('not served')
  expect([200, 302, 404]).toContain(status)
})

describe('a body', () => {
  const long = { ...block, reason: 'x'.repeat(5000) }

  test.each<[string, string, number, string]>([
    ['of more than 4 kB', JSON.stringify(long), 413, 'SLUICE_VIEW_BODY_TOO_LARGE'],
    ['that is not JSON', '{', 400, 'SLUICE_VIEW_BODY_INVALID'],
    ['that is empty', '', 400, 'SLUICE_VIEW_BODY_INVALID'],
    ['that is a list', '[]', 400, 'SLUICE_VIEW_BODY_INVALID'],
    ['that is null', 'null', 400, 'SLUICE_VIEW_BODY_INVALID'],
    ['without a limiter', body({ limiter: undefined }), 400, 'SLUICE_OPTION_MISSING'],
    ['with an unknown limiter', body({ limiter: 'x' }), 404, 'SLUICE_VIEW_LIMITER_UNKNOWN'],
    [
      'with a name of Object as a limiter',
      body({ limiter: '__proto__' }),
      404,
      'SLUICE_VIEW_LIMITER_UNKNOWN',
    ],
    ['without a key', body({ key: undefined }), 400, 'SLUICE_OPTION_MISSING'],
    ['with an empty key', body({ key: '' }), 400, 'SLUICE_OPTION_INVALID'],
    ['with a key that is a list', body({ key: ['a', 'b'] }), 400, 'SLUICE_OPTION_INVALID'],
    ['with an unknown act', body({ act: 'delete' }), 400, 'SLUICE_OPTION_INVALID'],
    ['without a reason', body({ reason: undefined }), 400, 'SLUICE_OPTION_MISSING'],
    ['with an empty reason', body({ reason: ' ' }), 400, 'SLUICE_OPTION_INVALID'],
    ['with a long reason', body({ reason: 'x'.repeat(501) }), 400, 'SLUICE_OPTION_INVALID'],
    ['without the length of a block', body({ length: undefined }), 400, 'SLUICE_OPTION_MISSING'],
    ['with a length that is none', body({ length: '10' }), 400, 'SLUICE_OPTION_INVALID'],
    ['with a length of 0', body({ length: 0 }), 400, 'SLUICE_OPTION_INVALID'],
    ['without the units of a penalty', body({ act: 'penalize' }), 400, 'SLUICE_OPTION_MISSING'],
    ['with negative units', body({ act: 'penalize', units: -1 }), 400, 'SLUICE_OPTION_INVALID'],
    ['with an unknown member', body({ force: true }), 400, 'SLUICE_OPTION_UNKNOWN'],
  ])('%s is refused', async (_, text, status, code) => {
    const { url, limiter } = await served()
    const answer = await ask(`${url}api/act`, 'POST', actHeaders, text)
    expect([answer.status, errorIn(answer)]).toEqual([status, code])
    expect(blockedMs(limiter)).toBe(0)
  })

  test('of unknown length ends at 4 kB', async () => {
    const { url } = await served()
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(`${url}api/act`, { method: 'POST', headers: actHeaders }, resolve)
      request.on('error', reject)
      for (let i = 0; i < 5; i++) request.write('x'.repeat(1000))
    })
    expect([answer.statusCode, answer.headers['connection']]).toEqual([413, 'close'])
    answer.destroy()
  })

  test.each<[string, unknown, number]>([
    ['an object', block, 200],
    ['a text', JSON.stringify(block), 200],
    ['bytes', Buffer.from(JSON.stringify(block)), 200],
    ['a large object', long, 413],
    ['a large text', JSON.stringify(long), 413],
    ['a list', [], 400],
    ['nothing', undefined, 400],
  ])('that a middleware has read, as %s', async (_, parsedBody, status) => {
    const { dashboard, limiter } = await served()
    const url = await listen((request, response) => {
      request.resume().on('end', () => {
        dashboard.handler(Object.assign(request, { body: parsedBody }), response)
      })
    })
    const answer = await ask(`${url}api/act`, 'POST', actHeaders, '{}')
    expect(answer.status).toBe(status)
    expect(blockedMs(limiter) > 0).toBe(status === 200)
  })

  test('beside an empty object of a middleware for forms is read', async () => {
    const { dashboard } = await served()
    const url = await listen((request, response) => {
      dashboard.handler(Object.assign(request, { body: {} }), response)
    })
    const answer = await ask(`${url}api/act`, 'POST', actHeaders, JSON.stringify(block))
    expect(answer.status).toBe(200)
  })

  test('of exactly 4,096 bytes is read', async () => {
    const { url } = await served()
    const text = JSON.stringify(block)
    const padded = text.replace('{', `{${' '.repeat(4096 - text.length)}`)
    expect((await ask(`${url}api/act`, 'POST', actHeaders, padded)).status).toBe(200)
    expect((await ask(`${url}api/act`, 'POST', actHeaders, ` ${padded}`)).status).toBe(413)
  })
})

test('an error of the dashboard is an answer without its reason, and a warning of the process', async () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const failing = {
    ...secured(),
    status: () => {
      throw new Error('a secret')
    },
  }
  const { url } = await serveDashboard({ limiters: { failing } })
  const answer = await ask(`${url}api/key?limiter=secure&key=a`, 'GET')
  expect([answer.status, errorIn(answer)]).toEqual([500, 'SLUICE_VIEW_FAILED'])
  expect(answer.text).not.toContain('a secret')
  expect(warnings).toHaveBeenCalledTimes(1)
  warnings.mockRestore()
})

test('each answer in JSON has the version of its form', async () => {
  const { url } = await served()
  const ofPath = async (path: string): Promise<unknown> =>
    (await ask(url + path, 'GET')).headers['x-sluice-view']
  for (const path of ['api/view', 'api/key?limiter=secure&key=a', 'api/nothing'])
    expect(await ofPath(path)).toBe('1')
  expect(await ofPath('app.js')).toBeUndefined()
})

test('the headers of the dashboard replace those that the application has set', async () => {
  const { dashboard } = await served()
  const url = await listen((request, response) => {
    response.setHeader('Content-Security-Policy', 'default-src *')
    dashboard.handler(request, response)
  })
  expect((await ask(url, 'GET')).headers['content-security-policy']).toBe(policy)
})

function body(changes: object): string {
  return JSON.stringify({ ...block, ...changes })
}

function errorIn({ text }: Answer): string {
  const body = JSON.parse(text) as { error: { code: string; message: string } }
  expect([Object.keys(body), Object.keys(body.error)]).toEqual([['error'], ['code', 'message']])
  return body.error.code
}
