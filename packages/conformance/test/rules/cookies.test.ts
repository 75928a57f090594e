import { hash } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { loadRules, staticSource, type LoadedRules } from '@sluice/rules'
import Koa from 'koa'
import { beforeAll, expect, test } from 'vitest'

const own = createRequire(import.meta.url)

/** The parser of the package "cookie", in the version of Express. */
const { parse } = createRequire(own.resolve('express'))('cookie') as {
  parse(header: string): Readonly<Record<string, string | undefined>>
}

const koa = new Koa()

/** The cookie "a" as an application reads it. */
const parsers: Readonly<Record<string, (header: string) => string | undefined>> = {
  Express: (header) => parse(header)['a'],
  Koa(header) {
    const request = new IncomingMessage(new Socket())
    request.headers = { cookie: header }
    return koa.createContext(request, new ServerResponse(request)).cookies.get('a')
  },
}

let rules: LoadedRules<unknown>
beforeAll(async () => {
  const rule = { id: 'r', key: 'cookie.a', limit: 1, window: '1m' } as const
  rules = await loadRules({
    source: staticSource({ version: 1, name: 'cookies', rules: [rule] }),
  })
})

/** The hash in the key by which a request counts; undefined if the rule does not apply, 'refused' if the request is an error. */
async function keyOf(cookie: string): Promise<unknown> {
  const view = { raw: undefined, method: 'GET', headers: { cookie } }
  try {
    const judgement = await rules.judge(undefined, view as never)
    if (judgement.type !== 'ask') return undefined
    const [asked] = judgement.enforced
    return asked === undefined ? undefined : (asked.keys as readonly unknown[])[1]
  } catch (error) {
    expect(error).toMatchObject({ code: 'SLUICE_RULES_VALUE_INVALID', status: 400 })
    return 'refused'
  }
}

/** Koa does not decode a value, and neither Koa nor a client that counts twice gains anything from spaces around it. */
function normal(value: string | undefined): string {
  const trimmed = (value ?? '').trim()
  try {
    return decodeURIComponent(trimmed)
  } catch {
    return trimmed
  }
}

const pieces = ['a', 'a', 'a=', '=', ';', '; ', ' ', '\t', '\u00a0', '"', '1', '2', '%41', '%', 'b']

test('a request counts by the cookie that the application reads, or is an error, however it is spelled', async () => {
  let seed = 1
  const below = (bound: number): number =>
    (seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647) % bound
  const found = { refused: 0, counted: 0, absent: 0 }
  for (let i = 0; i < 10_000; i++) {
    const header = Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]).join(
      '',
    )
    const key = await keyOf(header)
    if (key === 'refused') {
      found.refused++
      continue
    }
    for (const [name, read] of Object.entries(parsers)) {
      const value = normal(read(header))
      const expected = value === '' ? undefined : hash('sha256', value, 'base64url')
      expect([name, header, key]).toEqual([name, header, expected])
    }
    found[key === undefined ? 'absent' : 'counted']++
  }
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(200)
})
