import { describe, expect, test } from 'vitest'
import { withoutPrefix, type Prefix } from '../../../src/simulate/log/prefix.js'
import { BadLine } from '../../../src/simulate/log/record.js'
import { combinedLine, simulated, start } from '../logs.js'

const line = combinedLine({ at: start, ip: '192.0.2.1' })

test.each<readonly [Prefix, string]>([
  ['docker', 'web-1  | '],
  ['docker', 'shop_web_1 | 2026-11-20T09:00:00.123456789Z '],
  ['docker', '2026-11-20T09:00:00.123456789Z '],
  ['syslog', '<190>Nov 20 09:00:00 host nginx: '],
  ['syslog', 'Nov  2 09:00:00 web.example nginx[17]: '],
  ['syslog', '2026-11-20T09:00:00.123+01:00 2001:db8::1 nginx: '],
  ['syslog', '<190>1 2026-11-20T09:00:00.123Z host nginx 17 access - '],
  ['syslog', '<190>1 2026-11-20T09:00:00Z host nginx - - [a@1 b="c"][d@1 e="f"] '],
  ['cri', '2026-11-20T09:00:00.123456789Z stdout F '],
])('--prefix %s removes %j, and no other text', (prefix, text) => {
  expect(withoutPrefix(`${text}${line}`, prefix)).toBe(line)
  expect(withoutPrefix(line, prefix)).toEqual(new BadLine(`no prefix of ${prefix}`, 0))
})

test('--prefix docker reads the line in the JSON of the driver json-file', () => {
  const stored = (log: string): string =>
    Buffer.from(JSON.stringify({ log, stream: 'stdout', time: 'x' }), 'utf8').toString('latin1')
  expect(withoutPrefix(stored(`${line}\n`), 'docker')).toBe(line)
  expect(withoutPrefix(stored('"ü"\n'), 'docker')).toBe('"\u00c3\u00bc"')
})

describe('a log with prefixes', () => {
  const variants = { a: { policies: { kind: 'fixedWindow', limit: 1, window: 60_000 } } } as const

  test('is replayed if the prefix is stated', async () => {
    const { variants: found, log } = await simulated(`web | ${line}\nweb | ${line}\n`, {
      variants,
      prefix: 'docker',
    })
    expect(log.format).toBe('combined')
    expect(found[0].top).toMatchObject([{ key: '192.0.2.1', denied: 1 }])
  })

  test('is an error that names the prefix if it is not', async () => {
    await expect(simulated(`web | ${line}\n`, { variants })).rejects.toThrow('--prefix docker')
  })

  test('shows a line without the prefix, from its start', async () => {
    await expect(
      simulated(`web | ${line}\n${line}\n`, { variants, prefix: 'docker' }),
    ).rejects.toThrow(`no prefix of docker.\n  ${line}\n  ^\n`)
  })
})
