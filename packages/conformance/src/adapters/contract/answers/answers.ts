import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { perMinute } from '../limits.js'

const title = 'Request cannot be satisfied as assigned quota has been exceeded'

export function describeAnswers(open: OpenServer): void {
  describe('responses', () => {
    test('are those of the handler up to the limit, and a 429 without a call of the handler above it', async () => {
      const server = await open(perMinute(2))
      const answers = []
      for (let i = 0; i < 4; i++) answers.push(await server.get())
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
      expect(answers[0].body).toBe('hello')
      expect(server.reached.length).toBe(2)
      expect(server.errors).toEqual([])
    })

    test('are those of the handler again after the window', async () => {
      const server = await open(perMinute(1))
      await server.get()
      server.now += 59_999
      const early = await server.get()
      server.now += 1
      const late = await server.get()
      expect([early.status, early.headers['retry-after'], late.status]).toEqual([429, '1', 200])
    })

    test('allow exactly the limit of a burst', async () => {
      const server = await open(perMinute(5))
      const burst = await Promise.all(Array.from({ length: 20 }, async () => server.get()))
      expect(burst.filter(({ status }) => status === 200).length).toBe(5)
      expect(burst.filter(({ status }) => status === 429).length).toBe(15)
      expect(server.reached.length).toBe(5)
    })

    test('of denials are a problem of RFC 9457', async () => {
      const server = await open(perMinute(1))
      await server.get()
      const { status, headers, body } = await server.get()
      expect([status, mediaType(headers)]).toEqual([429, 'application/problem+json'])
      expect(headers['content-length']).toBe(`${body.length}`)
      expect(JSON.parse(body)).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title,
        status: 429,
        detail: 'Try again in 1 minute.',
        'violated-policies': ['api'],
      })
    })

    test.each([
      ['text/plain', 'text/plain'],
      ['text/plain;q=0.5, application/json', 'application/problem+json'],
      ['application/json', 'application/problem+json'],
      ['text/*', 'text/plain'],
      ['*/*', 'application/problem+json'],
      ['image/png', 'application/problem+json'],
    ])('of denials to Accept: %s are %s', async (accept, type) => {
      const server = await open(perMinute(1))
      await server.get()
      const { status, headers, body } = await server.get({ accept })
      expect([status, mediaType(headers)]).toEqual([429, type])
      if (type === 'text/plain') expect(body).toBe(`${title}. Try again in 1 minute.\n`)
    })

    test('of denials have the status and the text of the application', async () => {
      const server = await open({ ...perMinute(0), statusCode: 503, body: 'später' })
      const { status, headers, body } = await server.get({ accept: 'application/json' })
      expect([status, headers['content-type'], body]).toEqual([
        503,
        'text/plain; charset=utf-8',
        'später',
      ])
    })

    test('of denials have the JSON that a function of the application returns', async () => {
      const server = await open(({ header }) => ({
        ...perMinute(0),
        body: async (request, { limit, deniedBy }) => ({
          name: header(request, 'x-name'),
          limit,
          deniedBy,
        }),
      }))
      const { status, headers, body } = await server.get({ 'x-name': 'Ann' })
      expect([status, mediaType(headers)]).toEqual([429, 'application/json'])
      expect(JSON.parse(body)).toEqual({ name: 'Ann', limit: 0, deniedBy: ['default'] })
    })

    test('to HEAD are the headers only, and HEAD counts', async () => {
      const server = await open(perMinute(1))
      const first = await server.get({}, '/', 'HEAD')
      const second = await server.get({}, '/', 'HEAD')
      expect([first.status, first.headers['ratelimit'], first.body]).toEqual([
        200,
        '"api";r=0;t=60',
        '',
      ])
      expect([second.status, second.headers['retry-after'], second.body]).toEqual([429, '60', ''])
      expect(mediaType(second.headers)).toBe('application/problem+json')
    })

    test.each(['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])(
      'to %s have a limit',
      async (method) => {
        const server = await open(perMinute(1))
        const first = await server.get({}, '/', method)
        const second = await server.get({}, '/', method)
        expect([first.status, first.headers['ratelimit']]).toEqual([200, '"api";r=0;t=60'])
        expect([second.status, second.headers['retry-after']]).toEqual([429, '60'])
      },
    )

    test('have the decision on the request for the handler', async () => {
      const server = await open({ ...perMinute(3), cost: 2 })
      const { body } = await server.get({ 'x-answer': 'decision' })
      const numbers = {
        allowed: true,
        limit: 3,
        remaining: 1,
        retryAfterMs: 0,
        resetMs: 60_000,
        delayMs: 0,
      }
      expect(JSON.parse(body)).toEqual({
        ...numbers,
        deniedBy: [],
        policies: { default: { ...numbers, used: 2, nextMs: 60_000 } },
        source: 'store',
      })
    })
  })
}

/** The charset that some servers put behind JSON means nothing: JSON is UTF-8 (RFC 8259, section 8.1). */
function mediaType(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  return headers['content-type']?.split(';')[0]
}
