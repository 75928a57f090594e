import { expect, test } from 'vitest'
import { sluice, type Ran } from '../sluice.js'
import { authorization, pageServer, send, viewOf, type PageServer } from './page-server.js'

async function run(page: PageServer, ...args: readonly string[]): Promise<Ran> {
  return sluice([...args, '--url', page.url, '--header', authorization])
}

test('status reads the counts through the page', async () => {
  const page = await pageServer()
  page.limiter.consume(['user', 42], { cost: 4 })
  const { status, stdout, stderr } = await run(page, 'status', '["user",42]')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^\|user\|42\n\napi {2}default {2}allowed {2}4 used, 6 of 10 remain, full/)
  expect(page.requests.map(({ line }) => line)).toEqual([
    'GET /limits/api/view?rows=0',
    'GET /limits/api/key?limiter=api&exact=%22%7Cuser%7C42%22',
  ])
})

test.each([
  [['block', 'ann', '10m'], { act: 'block', length: '10m' }],
  [['unblock', 'ann'], { act: 'unblock' }],
  [['penalize', 'ann', '5'], { act: 'penalize', units: 5 }],
  [['reset', 'ann'], { act: 'reset' }],
  [['exempt', 'ann', '1h'], { act: 'exempt', length: '1h' }],
  [['unexempt', 'ann'], { act: 'unexempt' }],
])('%j is sent with its reason and the headers that an act needs', async (args, act) => {
  const page = await pageServer()
  const { status } = await run(page, ...args, '--reason', 'ticket 7')
  expect(status).toBe(0)
  const { line, body, headers } = page.requests[1]
  expect([line, body]).toEqual([
    'POST /limits/api/act',
    { limiter: 'api', key: 'ann', reason: 'ticket 7', ...act },
  ])
  expect([headers['content-type'], headers['x-sluice']]).toEqual(['application/json', '1'])
})

test('block shows the counts after it', async () => {
  const page = await pageServer()
  const { stdout } = await run(page, 'block', 'ann', '10m', '--reason', 'ticket 7')
  expect(stdout).toMatch(
    /^blocked ann for 10m \(ticket 7\)\n\napi {2}default {2}blocked {2}for (?:10m|9m 59s), 0 of 10 used\n$/,
  )
})

test('an act notes that the dashboard had no counts of the key', async () => {
  const page = await pageServer()
  const block = async (key: string) => run(page, 'block', key, '10m', '--reason', 'ticket 7')
  expect((await block('bob')).stderr).toMatch(/^note: nothing was counted for bob\. /)
  page.limiter.consume('ann')
  expect((await block('ann')).stderr).toBe('')
  const reset = async () => run(page, 'reset', 'ann', '--unblock', '--reason', 'ticket 7')
  expect((await reset()).stderr).toBe('')
  expect((await reset()).stderr).toMatch(/^note: nothing was counted for ann\. /)
})

test('a blocked key is reset only with --unblock, which is an act of its own', async () => {
  const page = await pageServer()
  page.limiter.consume('ann')
  page.limiter.block('ann', '10m')
  const refused = await run(page, 'reset', 'ann', '--reason', 'ticket 7')
  expect(refused.stderr).toBe(
    'error: the key is blocked, so nothing was reset. Add --unblock to end the block too\n',
  )
  const { status, stdout } = await run(page, 'reset', 'ann', '--unblock', '--reason', 'ticket 7')
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'reset ann (ticket 7)\n\napi  default  allowed  0 used, 10 of 10 remain\n',
  })
  const acts = page.requests.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body)
  const common = { limiter: 'api', key: 'ann', reason: 'ticket 7' }
  expect(acts).toEqual([
    { ...common, act: 'reset' },
    { ...common, act: 'unblock' },
    { ...common, act: 'reset' },
  ])
})

test.each([[[]], [['--reason', '  ']]])(
  'a change without a reason is not sent: %j',
  async (args) => {
    const page = await pageServer()
    expect(await run(page, 'unblock', 'ann', ...args)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: --url needs --reason: the application records who changed what, and why\n',
    })
    expect(page.requests).toEqual([])
  },
)

test('only the limiters that can be acted upon are concerned', async () => {
  const page = await pageServer()
  const [api] = page.view.limiters
  page.view = viewOf({ limiters: [api, { ...api, name: 'shown only', canAct: false }] })
  expect((await run(page, 'unblock', 'ann', '--reason', 'x')).status).toBe(0)
  const { stderr } = await run(page, 'status', 'ann', '--limiter', 'shown only')
  expect(stderr).toBe('error: there is no limiter "shown only". Known: api\n')
  page.view = viewOf({ limiters: [] })
  expect((await run(page, 'status', 'ann')).stderr).toBe(
    'error: the dashboard has no limiter whose keys can be read\n',
  )
})

test('keys --blocked follows the cursor of the page, and lists a key once', async () => {
  const page = await pageServer()
  page.limiter.block('bob', '10m')
  const { stdout } = await run(page, 'keys', '--blocked')
  expect(stdout.replace(/^\S+( \S+)? +/, '')).toBe(
    'api  default  bob\n200 keys searched, 1 blocked\n',
  )
  expect(page.requests.slice(1).map(({ line }) => line)).toEqual([
    'GET /limits/api/search?limiter=api',
    'GET /limits/api/search?limiter=api&cursor=7',
  ])
})

test('keys notes that the texts are masked', async () => {
  const page = await pageServer()
  page.view = viewOf({ role: 'read', isMasked: true })
  page.limiter.block('bob', '10m')
  expect((await run(page, 'keys', '--blocked')).stderr).toBe(
    'note: the dashboard masks keys: other commands need the key itself, and not this text\n',
  )
})

test('the URL and the authorization can be in the environment, and in the URL', async () => {
  const page = await pageServer()
  const env = { SLUICE_URL: `${page.url}/?x=1#top`, SLUICE_AUTHORIZATION: 'Bearer t' }
  expect((await sluice(['status', 'ann'], { env })).status).toBe(0)
  const url = page.url.replace('//', '//ada:p%40ss@')
  const { stderr } = await sluice(['status', 'ann', '--url', url])
  expect(stderr).toBe(
    `error: ${page.url}/ answers 403: This request has no role. (SLUICE_VIEW_FORBIDDEN)\n`,
  )
  const credentials = Buffer.from('ada:p@ss').toString('base64')
  expect(page.requests.at(-1)?.headers.authorization).toBe(`Basic ${credentials}`)
})

test.each([
  [
    'a redirect',
    302,
    { location: '/login?next=limits' },
    '',
    ` answers 302 with a redirect to /login?next=limits. If the page needs a login, send it with --header 'authorization: …'`,
  ],
  [
    'no login',
    401,
    {},
    'who are you?',
    ` answers 401. If the page needs a login, send it with --header 'authorization: …'`,
  ],
  ['no such path', 404, {}, '<html>', ' answers 404: is it the URL of a Sluice dashboard?'],
  ['a page for people', 200, {}, '<html>', ' is not the URL of a Sluice dashboard of this version'],
  [
    'another version',
    200,
    { 'x-sluice-view': '2' },
    '{"at":1,"processes":1}',
    ' is not the URL of a Sluice dashboard of this version',
  ],
])('%s is an error with the URL', async (_, status, headers, body, said) => {
  const page = await pageServer()
  page.answer = (response) => response.writeHead(status, headers).end(body)
  const ran = await run(page, 'status', 'ann')
  expect(ran).toEqual({ status: 1, stdout: '', stderr: `error: ${page.url}/${said}\n` })
})

test('a server that cannot be reached is an error without secrets', async () => {
  const page = await pageServer()
  const url = page.url.replace(/:\d+/, ':1').replace('//', '//ada:secret@')
  const { status, stderr } = await sluice(['status', 'ann', '--url', `${url}?token=secret`])
  expect(status).toBe(1)
  expect(stderr).toMatch(/^error: no answer from http:\/\/127\.0\.0\.1:1\/limits\/: /)
  expect(stderr).not.toContain('secret')
})

test.each(['notaurl', 'ada:secret@notaurl', 'ftp://ada:secret@notaurl?token=secret'])(
  'with --url %s, the command names the option, and no secrets',
  async (url) => {
    const { status, stderr } = await sluice(['top', '--url', url])
    const shown = url.startsWith('ftp') ? 'ftp://notaurl' : 'notaurl'
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `error: --url: ${shown} is not the URL of a dashboard, such as https://shop.example/limits\n`,
    })
  },
)

test('a text of the page cannot act on the terminal', async () => {
  const page = await pageServer()
  page.answer = (response) => send(response, 400, { error: { code: 'X', message: '\u001b[31m' } })
  expect((await run(page, 'status', 'ann')).stderr).toBe(
    `error: ${page.url}/ answers 400: \\u{1b}[31m (X)\n`,
  )
})
