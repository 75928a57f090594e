import { expect, test } from 'vitest'
import { folderWith, shop, shopFiles, sluice } from '../sluice.js'

interface Explained {
  readonly request: Readonly<Record<string, unknown>>
  readonly endedBy?: string
  readonly rules: readonly { readonly id: string; readonly reason: string }[]
}

async function explained(...args: readonly string[]): Promise<Explained> {
  const cwd = await folderWith(shopFiles)
  const all = ['explain', 'rules.yaml', '--ip', '203.0.113.9', ...args, '--format', 'json']
  const { stdout, stderr } = await sluice(all, { cwd })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

test.each([
  ['/a', { method: 'GET', url: '/a' }],
  ['post /a?b=1', { method: 'POST', url: '/a?b=1' }],
  ['  GET   /a  ', { method: 'GET', url: '/a' }],
  ['https://shop.example', { method: 'GET', url: '/', host: 'shop.example' }],
  ['PUT http://shop.example:81?a=1', { method: 'PUT', url: '/?a=1', host: 'shop.example:81' }],
  ['HTTPS://shop.example/a', { method: 'GET', url: '/a', host: 'shop.example' }],
])('--request %j', async (line, expected) => {
  const { request } = await explained('--request', line)
  expect(request).toMatchObject(expected)
})

test.each([
  ['the option', ['--host', 'a.example', '--header', 'Host: b.example'], 'a.example'],
  ['the header', ['--header', 'HOST:  b.example '], 'b.example'],
  ['the URL', [], 'shop.example'],
])('the host is that of %s', async (_, args, host) => {
  const { request } = await explained('--request', 'https://shop.example/', ...args)
  expect(request['host']).toBe(host)
})

test('of several cookies with one name, the first one counts', async () => {
  const key = ['--header', 'x-key: secret']
  const cookies = (...values: readonly string[]): readonly string[] =>
    values.flatMap((value) => ['--cookie', `session=${value}`])
  expect((await explained('--request', '/', ...key, ...cookies('abc', 'x'))).endedBy).toBe('key')
  expect((await explained('--request', '/', ...key, ...cookies('x', 'abc'))).endedBy).toBe(
    undefined,
  )
})

test('several headers with one name are one header', async () => {
  const rules = shop.replace('header.x-key: secret, cookie.session: abc', "header.x-key: 'a, b'")
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules })
  const headers = ['--header', 'X-Key: a', '--header', 'x-key: b']
  const { stdout } = await sluice(['explain', 'rules.yaml', ...headers], { cwd })
  expect(stdout).toContain('\nRefused by key. No limit is asked.\n')
})

test('spaces around a value are not part of it', async () => {
  const { endedBy } = await explained('--request', '/', '--value', ' user = mallory ')
  expect(endedBy).toBe('bad')
})

test.each(['POST', 'GET a', '/a b', 'GET /a HTTP/1.1', 'G3T /a'])(
  '--request %j is refused',
  async (line) => {
    const cwd = await folderWith(shopFiles)
    const { status, stderr } = await sluice(['explain', 'rules.yaml', '--request', line], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain('Write a method and a path, such as "POST /api/items".')
  },
)
