import type { RequestListener } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { randomFrom, runs, seed } from '@sluice/test-kit/random'
import { applications, trusting, type Application } from './applications.js'
import { exemption } from './documents.js'
import { exchange, type Sent } from './exchange.js'
import { nestApplications } from './nest-applications.js'
import type { Ran } from './routes.js'
import { Spy } from './spy.js'

const name = 'api.example'
const when = { host: name }
const limit = { key: [], limit: 1, window: '1h' } as const

const documents = {
  limits: [
    { id: 'is', when, ...limit },
    { id: 'not', when: { not: when }, ...limit },
    { id: 'begins', when: { host: { prefix: 'api.' } }, ...limit },
  ],
  free: exemption(when),
  others: exemption({ not: when }),
  keys: [{ id: 'host', key: 'host', limit: 1, window: '1h' }],
} as const

const pieces: readonly string[] = [
  [':', ':80', ':080', ':x', ':-1', ': 80', ':65536', '.', ',', ' ', '@', 'u@', '%', '%61'],
  [
    '[',
    ']',
    '[::1]',
    '/',
    '?',
    '#',
    '\\',
    'A',
    'other',
    ',other',
    ',other.example',
    '\t',
    '\u00e9',
  ],
].flat()

const count = runs(300)

describe(`${count} random hosts (SLUICE_SEED=${seed})`, () => {
  const started = new Map<Application, RequestListener>()
  let spy: Spy
  let ran: Ran | undefined

  beforeAll(async () => {
    spy = await Spy.of(documents)
    spy.documents = Object.keys(documents)
    for (const app of [...applications, ...trusting, ...nestApplications]) {
      started.set(app, await app.start(spy, (what) => (ran = what)))
    }
  })

  test(
    'are no other host for a rule than for the application',
    { timeout: runs(600_000) },
    async () => {
      const random = randomRequests()
      const wrong: string[] = []
      const found = { is: 0, free: 0, key: 0 }
      const keysOf = new Map<string, unknown>()
      for (let i = 0; i < count && wrong.length < 20; i++) {
        const sent = random()
        for (const [app, listener] of started) {
          ran = undefined
          spy.judged = undefined
          await exchange(listener, sent)
          const host = hostOf()
          const judged = judgedOf()
          if (judged === undefined || host === undefined) continue
          const fail = (mistake: string): unknown =>
            wrong.push(`${app.name}: ${JSON.stringify(sent)} is of ${host} and ${mistake}`)
          const keys = judged.get('limits')?.keys ?? new Map()
          if (host === name) {
            found.is++
            if (!keys.has('is')) fail('avoids the limit of the host')
            if (judged.get('others')?.isFree === true) fail('receives the exemption of others')
          } else {
            if (!keys.has('not')) fail('avoids the limit of other hosts')
            if (judged.get('free')?.isFree === true) fail('receives the exemption of the host')
          }
          if (host.startsWith('api.') && !keys.has('begins')) fail('avoids the limit of the prefix')
          if (judged.get('free')?.isFree === true) found.free++
          const key: unknown = [judged.get('keys')?.keys.get('host')].flat()[1]
          // Koa finds no host in some headers.
          if (host === '') continue
          const value = `${app.name} ${host}`
          if (keysOf.has(value)) found.key++
          if (keysOf.has(value) && keysOf.get(value) !== key) {
            fail(`counts as ${String(key)}, and earlier as ${String(keysOf.get(value))}`)
          }
          keysOf.set(value, key)
        }
      }
      expect(wrong).toEqual([])
      expect(Object.values(found).map((times) => times > 0)).toEqual([true, true, true])
    },
  )

  function hostOf(): string | undefined {
    return ran?.host?.toLowerCase()
  }

  function judgedOf(): Spy['judged'] {
    return spy.judged
  }
})

/** Requests with a host in `Host`, `:authority` or `X-Forwarded-Host`. */
function randomRequests(): () => Sent {
  const random = randomFrom(seed)
  const below = (bound: number): number => Math.floor(random() * bound)

  function randomHost(): string {
    let host = random() < 0.8 ? name : 'other.example'
    for (let edits = below(3); edits > 0; edits--) {
      const at = random() < 0.5 ? host.length : below(host.length + 1)
      host = `${host.slice(0, at)}${pieces[below(pieces.length)]}${host.slice(at)}`
    }
    return host
  }

  return function randomRequest() {
    const version = random() < 0.5 ? 1 : 2
    const headers: Record<string, string> = {}
    if (version === 1 || random() < 0.3) headers['host'] = randomHost()
    if (version === 2 && random() < 0.8) headers[':authority'] = randomHost()
    if (random() < 0.2) headers['x-forwarded-host'] = randomHost()
    return { target: '/token', headers, version }
  }
}
