import { expect, test } from 'vitest'
import { folderWith, shop, shopFiles, sluice } from './sluice.js'

// Each control sequence of a terminal starts with this character.
const escape = '\u001b'
const isTTY = true

test('a terminal gets colors, a pipe gets none', async () => {
  const cwd = await folderWith(shopFiles)
  const args = ['check', 'rules.yaml']
  const colored = await sluice(args, { cwd, isTTY })
  expect(colored.stdout).toContain(`${escape}[33mwarning${escape}[39m`)
  expect((await sluice(args, { cwd })).stdout).not.toContain(escape)
})

test('NO_COLOR switches colors off, unless it is empty', async () => {
  const cwd = await folderWith(shopFiles)
  const run = async (NO_COLOR: string): Promise<string> => {
    const env = { NO_COLOR }
    return (await sluice(['check', 'rules.yaml'], { cwd, env, isTTY })).stdout
  }
  expect(await run('1')).not.toContain(escape)
  expect(await run('')).toContain(escape)
})

test('a terminal that cannot draw colors gets none', async () => {
  const cwd = await folderWith(shopFiles)
  const env = { TERM: 'dumb' }
  const { stdout } = await sluice(['check', 'rules.yaml'], { cwd, env, isTTY })
  expect(stdout).not.toContain(escape)
})

test('an error message is printed as text', async () => {
  const { status, stderr } = await sluice(['simulate', 'a\u001b[31m.log', '--limit', '1/1m'])
  expect(status).toBe(1)
  expect(stderr).toContain(String.raw`a\u{1b}[31m.log`)
  expect(stderr).not.toContain(escape)
})

test('explain has colors on a terminal, and none within JSON', async () => {
  const cwd = await folderWith(shopFiles)
  const args = ['explain', 'rules.yaml', '--ip', '203.0.113.9']
  const text = await sluice(args, { cwd, isTTY })
  expect(text.stdout).toContain(`${escape}[32myes${escape}[39m`)
  const json = await sluice([...args, '--format', 'json'], { cwd, isTTY })
  expect(json.stdout).not.toContain(escape)
})

// Characters that make a terminal set its title or show another text.
const hostile = 'a\\u001b]0;x\\u0007\\u009b31m\\u202eb\\u2028c\\u200bd'
const acting = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

test.each(['text', 'json', 'github'])(
  'a hostile document is printed as text by check --format %s',
  async (format) => {
    const rules = shop
      .replace('by: plan,', `by: "${hostile}",`)
      .replace(
        '- id: office\n    when: { ip: 10.0.0.0/8 }',
        `- id: "x\\u202ey"\n    when: { path: "${hostile}" }`,
      )
    const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules })
    const { status, stdout } = await sluice(['check', 'rules.yaml', '--format', format], { cwd })
    expect(status).toBe(1)
    expect(stdout).toMatch(/202e/)
    expect(stdout).not.toMatch(acting)
  },
)

test.each(['text', 'json'])(
  'hostile rules and requests are printed as text by explain --format %s',
  async (format) => {
    const rules = shop.replace('- id: address', `- id: "x\\u202ey"`)
    const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules })
    const value = `user=${JSON.parse(`"${hostile}"`)}`
    const args = ['explain', 'rules.yaml', '--ip', '203.0.113.9', '--value', value]
    const { status, stdout } = await sluice([...args, '--format', format], { cwd })
    expect(status).toBe(0)
    expect(stdout).toMatch(/202e/)
    expect(stdout).not.toMatch(acting)
  },
)

test('escapes in JSON do not change its texts', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'rules.yaml': shop.replace('- id: address', `- id: "x\\u202ey"`),
  })
  const args = ['explain', 'rules.yaml', '--ip', '203.0.113.9', '--format', 'json']
  const { stdout } = await sluice(args, { cwd })
  expect(JSON.parse(stdout).asked).toEqual(['x\u202ey'])
})
