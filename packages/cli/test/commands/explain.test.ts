import {
  compileRules,
  createRuleLimiter,
  parseRules,
  type Explanation,
  type RuleContext,
  type RuleSet,
} from '@sluice/rules'
import { expect, test } from 'vitest'
import { folderWith, shop, shopFiles, sluice } from '../sluice.js'

/** Requests as options of the command, and as a context of the application. */
const requests: readonly {
  readonly name: string
  readonly args: readonly string[]
  readonly context: RuleContext
  readonly asked: readonly string[]
  readonly shadow?: readonly string[]
  readonly endedBy?: string
  readonly tags?: readonly string[]
}[] = [
  {
    name: 'of a user with an override',
    args: ['--request', 'GET /api/items', '--value', 'user=acme', '--value', 'plan=pro'],
    context: { method: 'GET', url: '/api/items', user: 'acme', plan: 'pro' },
    asked: ['address', 'api'],
    shadow: ['trial'],
  },
  {
    name: 'without a user',
    args: ['--request', '/API//items/?page=2', '--value', 'plan=free'],
    context: { method: 'GET', url: '/API//items/?page=2', plan: 'free' },
    asked: ['address', 'api'],
    shadow: ['trial'],
  },
  {
    name: 'with a cost',
    args: [
      '--request',
      'POST /api/files/7',
      '--value',
      'user=ada',
      '--value',
      'plan=pro',
      '--value',
      'size=2',
    ],
    context: { method: 'POST', url: '/api/files/7', user: 'ada', plan: 'pro', size: 2 },
    asked: ['address', 'api', 'upload', 'points'],
    shadow: ['trial'],
  },
  {
    name: 'that lacks an optional part of a key',
    args: ['--request', 'POST /api/files/7', '--value', 'plan=free', '--value', 'size=2'],
    context: { method: 'POST', url: '/api/files/7', plan: 'free', size: 2 },
    asked: ['address', 'api', 'points'],
    shadow: ['trial'],
  },
  {
    name: 'that is exempt',
    args: ['--request', '/api/items', '--ip', '10.1.2.3'],
    context: { method: 'GET', url: '/api/items', ip: '10.1.2.3' },
    asked: [],
    endedBy: 'office',
  },
  {
    name: 'of a listed user',
    args: ['--request', '/', '--value', 'user=mallory'],
    context: { method: 'GET', url: '/', user: 'mallory' },
    asked: [],
    endedBy: 'bad',
  },
  {
    name: 'with a header and a cookie',
    args: ['--request', '/', '--header', 'X-Key: secret', '--cookie', 'session=abc'],
    context: {
      method: 'GET',
      url: '/',
      headers: { 'x-key': 'secret' },
      cookies: { session: 'abc' },
    },
    asked: [],
    endedBy: 'key',
  },
  {
    name: 'with a boolean',
    args: ['--request', '/', '--value', 'isNew=true'],
    context: { method: 'GET', url: '/', isNew: true },
    asked: ['address'],
    tags: ['new'],
  },
  {
    name: 'of an address with an ending',
    args: ['--request', 'https://shop.example/', '--ip', '2001:db8::1'],
    context: { method: 'GET', url: '/', host: 'shop.example', ip: '2001:db8::1' },
    asked: ['address'],
  },
  {
    name: 'without HTTP',
    args: ['--value', 'user=internal', '--value', 'isNew=false'],
    context: { user: 'internal', isNew: false },
    asked: ['address'],
  },
]

const ip = '203.0.113.9'

test.each(requests)('a request $name is explained as the rules decide it', async (request) => {
  const { args, asked, shadow = [], endedBy, tags = [] } = request
  const cwd = await folderWith(shopFiles)
  const all = ['explain', 'rules.yaml', '--ip', ip, ...args, '--format', 'json']
  const { status, stdout, stderr } = await sluice(all, { cwd })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { request: shown, ...explained }: Explanation & { request: RuleContext } =
    JSON.parse(stdout)
  const { method, url, host } = request.context
  expect([shown.method, shown.url, shown.host]).toEqual([method, url, host])
  expect(explained).toMatchObject({ asked, shadow, tags, ...(endedBy && { endedBy }) })

  const rules = await shopRules()
  const limiter = createRuleLimiter({ rules: { name: rules.name, current: rules } })
  const decision = await limiter.consume({ ip, ...request.context })
  expect(explained.type).toBe(
    decision.allowed ? (decision.applied.length > 0 ? 'ask' : 'pass') : 'refuse',
  )
  expect(decision.applied).toEqual(explained.asked)
  expect(decision.tags).toEqual(explained.tags)
  if (!decision.allowed) expect(decision.rule).toBe(explained.endedBy)
  const limits = explained.rules
    .filter(({ id }) => asked.includes(id))
    .flatMap(({ policies = {} }) => Object.entries(policies))
  for (const [name, policy] of limits) {
    const limit = 'limit' in policy ? policy.limit : Infinity
    expect([name, decision.policies[name].limit]).toEqual([name, limit])
  }
})

async function shopRules(): Promise<RuleSet> {
  const files = new Map([['bad.txt', 'mallory\ntrudy\n']])
  return compileRules(parseRules({ text: shop, format: 'yaml', files }))
}

test('the text has the key, the limit, where it comes from, and why others do not apply', async () => {
  const cwd = await folderWith(shopFiles)
  const args = ['--request', 'POST /api/files/7', '--ip', ip, '--value', 'user=acme']
  const more = ['--value', 'plan=pro', '--value', 'size=2', '--at', '2026-10-01T22:30:00Z']
  const { stdout } = await sluice(['explain', 'rules.yaml', ...args, ...more], { cwd })
  expect(stdout).toBe(`rules.yaml: POST /api/files/7 from 203.0.113.9 at 2026-10-01T22:30:00.000Z

1  office   no   ip 203.0.113.9 is not 10.0.0.0/8
2  bad      no   user acme is not in $bad (2 entries)
3  key      no   header.x-key is absent
4  new      no   isNew is absent
5  address  yes  it matches
                 key    ip:203.0.113.9
                 limit  slidingWindow, limit 300, window 1m
6  api      yes  it matches
                 key    ["user","acme"]
                 limit  gcra, limit 20000, window 1m  (override "acme") in place of gcra, limit 600, window 1m (plan pro)
7  upload   yes  it matches
                 key    ["user","acme","path","/api/files/7"]
                 limit  fixedWindow, limit 9, window 1h  (schedule night)
                 cost   2
8  points   yes  it matches
                 key    ["user","acme"]
                 limit  slidingWindow, limit 1, window 1h
9  trial    yes  shadow
                 key    ip:203.0.113.9
                 limit  slidingWindow, limit 1, window 1h

asked: address, api, upload, points   shadow: trial   not asked: 4 rules
`)
})

test('a request that a rule refuses asks no limit', async () => {
  const cwd = await folderWith(shopFiles)
  const { stdout } = await sluice(['explain', 'rules.yaml', '--value', 'user=mallory'], { cwd })
  expect(stdout).toContain('\n2  bad      yes  it refuses\n3  key      no   comes after "bad"\n')
  expect(stdout).toContain('\nRefused by bad. No limit is asked.\n')
})

test('a time of the day chooses the limit of its schedule', async () => {
  const cwd = await folderWith(shopFiles)
  const args = ['--request', 'POST /api/files/7', '--ip', ip, '--value', 'user=ada']
  const more = ['--value', 'plan=pro', '--value', 'size=2']
  const limitAt = async (at: string): Promise<unknown> => {
    const { stdout } = await sluice(['explain', 'rules.yaml', ...args, ...more, '--at', at], {
      cwd,
    })
    return /fixedWindow, limit (\d+), window 1h {2}\((.*)\)/.exec(stdout)?.slice(1)
  }
  expect(await limitAt('2026-10-01T23:59:59+02:00')).toEqual(['2', 'schedule else'])
  expect(await limitAt('2026-10-02T00:00:00+02:00')).toEqual(['9', 'schedule night'])
})

test('headers and cookies are hashed without --show', async () => {
  const cwd = await folderWith(shopFiles)
  const args = [
    'explain',
    'rules.yaml',
    '--ip',
    ip,
    '--header',
    'x-key: hunter2',
    '--cookie',
    'session=pass',
  ]
  for (const format of ['text', 'json']) {
    const { stdout } = await sluice([...args, '--format', format], { cwd })
    expect(stdout).toContain('header.x-key sha256:f52fbd32b2b3 is not secret')
    expect(stdout).not.toMatch(/hunter2|pass/)
  }
  const { stdout } = await sluice([...args, '--show'], { cwd })
  expect(stdout).toContain('header.x-key hunter2 is not secret')
})

test.each([
  [
    'plan=platinum',
    'error: --value plan: the value "plan" is "platinum". It has to be one of free, pro.\n',
  ],
  [
    'size=big',
    'error: --value size: the value "size" is "big". It has to be a whole number below 2^53.\n',
  ],
  [
    'size=1.5',
    'error: --value size: the value "size" is "1.5". It has to be a whole number below 2^53.\n',
  ],
  ['isNew=yes', 'error: --value isNew: the value "isNew" is "yes". It has to be true or false.\n'],
  [
    'usr=ada',
    'error: --value usr: there is no field or value "usr". Known: "user", "plan", "size", "isNew".\n(Did you mean user?)\n',
  ],
])('an error about the value %s lists the allowed ones', async (value, said) => {
  const cwd = await folderWith(shopFiles)
  expect(await sluice(['explain', 'rules.yaml', '--value', value], { cwd })).toEqual({
    status: 1,
    stdout: '',
    stderr: said,
  })
})

test('the error about a missing address or value names the option', async () => {
  const cwd = await folderWith(shopFiles)
  const noAddress = await sluice(['explain', 'rules.yaml', '--request', '/'], { cwd })
  expect(noAddress).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: a rule needs the address of the client. State it with --ip.\n',
  })
  const noPlan = await sluice(['explain', 'rules.yaml', '--request', '/api/x', '--ip', ip], { cwd })
  expect(noPlan.stderr).toMatch(/^error: the request has no value "plan", which a rule needs\./)
  expect(noPlan.stderr).toMatch(/\nState it with --value name=value\.\n$/)
  expect(noPlan.status).toBe(1)
})

test.each([
  ['--request', 'POST', "error: option '--request <line>' argument 'POST' is invalid."],
  ['--request', 'a b c', "error: option '--request <line>' argument 'a b c' is invalid."],
  ['--ip', '203.0.113', "error: option '--ip <address>' argument '203.0.113' is invalid."],
  ['--header', 'x-key', "error: option '--header <name: value>' argument 'x-key' is invalid."],
  ['--cookie', '=x', "error: option '--cookie <name=value>' argument '=x' is invalid."],
  ['--at', 'noon', "error: option '--at <time>' argument 'noon' is invalid."],
  ['--header', 'Cookie: a=b', 'error: state cookies with --cookie name=value'],
])('%s "%s" is refused', async (option, text, said) => {
  const cwd = await folderWith(shopFiles)
  const { status, stderr, stdout } = await sluice(['explain', 'rules.yaml', option, text], { cwd })
  expect(stderr.startsWith(said)).toBe(true)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})

test('a document with mistakes is not explained', async () => {
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': shop.replace('plan,', 'plann,') })
  const { status, stdout, stderr } = await sluice(['explain', 'rules.yaml'], { cwd })
  expect(stderr).toMatch(/^rules\.yaml:32:14 {2}error {2}SLUICE_RULES_FIELD_UNKNOWN /)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})
