import { describe, expect, test } from 'vitest'
import type { Denier } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'
import { untilUsed } from '../used.js'

function raise(value: unknown): never {
  throw value
}

const spent = {
  'ratelimit-policy': '"api";q=1;w=60',
  ratelimit: '"api";r=0;t=60',
}

export function describeDenials(open: OpenServer): void {
  describe('a denial with a handler of the application', () => {
    test('has the response of the handler, with the headers set', async () => {
      const server = await open({
        ...perMinute(1),
        onDenied: ({ retryAfterMs, deniedBy }) => ({
          status: 200,
          type: 'text/plain',
          body: `busy: ${deniedBy.join()} for ${retryAfterMs}`,
        }),
      })
      expect((await server.get()).body).toBe('hello')
      const reply = await server.get()
      expect([reply.status, reply.body]).toEqual([200, 'busy: default for 60000'])
      expect(limitFields(reply)).toEqual({ ...spent, 'retry-after': '60' })
      expect(server.reached.length).toBe(1)
    })

    test('continues if the handler sends no response, and the request has the denial', async () => {
      const server = await open({ ...perMinute(1), onDenied: () => undefined })
      await server.get()
      const reply = await server.get({ 'x-answer': 'decision' })
      expect(reply.status).toBe(200)
      expect(JSON.parse(reply.body)).toMatchObject({ allowed: false, deniedBy: ['default'] })
      // Only denials have Retry-After, and this is not a denial.
      expect(limitFields(reply)).toEqual(spent)
      expect(server.reached.length).toBe(2)
    })

    test('resets the failures if it continues and succeeds', async () => {
      const server = await open({
        ...perMinute(2),
        count: 'failures',
        resetOn: 'success',
        onDenied: () => undefined,
      })
      for (const [answer, used] of [
        ['401', 1],
        ['401', 2],
        ['401', 2],
        ['200', 0],
        ['401', 1],
      ] as const) {
        expect((await server.get({ 'x-answer': answer })).status).toBe(Number(answer))
        await untilUsed(server, perMinute(2).policies, used)
      }
    })

    test('does not reset the failures if its handler sends a success', async () => {
      const server = await open({
        ...perMinute(1),
        count: 'failures',
        resetOn: 'success',
        onDenied: () => ({ status: 200, type: 'text/plain', body: 'degraded' }),
      })
      await server.get({ 'x-answer': '401' })
      for (let i = 0; i < 2; i++) expect((await server.get()).body).toBe('degraded')
      await until('all are over', () => server.over === 3)
      expect(server.verbs).toEqual(['consume', 'consume', 'consume'])
    })

    test('takes nothing and refunds nothing if it continues', async () => {
      const server = await open({
        ...perMinute(1),
        count: 'failures',
        onDenied: () => undefined,
      })
      await server.get({ 'x-answer': '404' })
      await server.get()
      expect(server.verbs).toEqual(['consume', 'consume'])
    })

    test('is an error if its handler throws', async () => {
      const server = await open({
        ...perMinute(0),
        onDenied: () => {
          throw new Error('broken')
        },
      })
      const { status, body } = await server.get()
      expect([status, body, server.reached.length, server.errors.length]).toEqual([
        500,
        'Error: broken',
        0,
        1,
      ])
    })
  })

  describe('a handler of denials that fails without an error', () => {
    test.each<[string, Denier]>([
      ['throws undefined', () => raise(undefined)],
      ['rejects with undefined', async () => raise(undefined)],
      ['throws null', () => raise(null)],
      ["throws 'route'", () => raise('route')],
    ])('is an error, and no request continues: %s', async (_, onDenied) => {
      const server = await open({ ...perMinute(0), onDenied })
      const { status, body } = await server.get()
      expect([status, body, server.reached.length, server.errors.length]).toEqual([
        500,
        'SLUICE_THROWN',
        0,
        1,
      ])
    })

    test('is an error if its handler rejects', async () => {
      const server = await open({
        ...perMinute(0),
        onDenied: async () => raise(new Error('broken')),
      })
      const { status, body } = await server.get()
      expect([status, body, server.reached.length]).toEqual([500, 'Error: broken', 0])
    })
  })

  describe('a dry run', () => {
    test('allows every request, writes no header, and sets the decision', async () => {
      const server = await open({ ...perMinute(1), dryRun: true })
      const replies = []
      for (let i = 0; i < 3; i++) replies.push(await server.get({ 'x-answer': 'decision' }))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(replies.map(limitFields)).toEqual([{}, {}, {}])
      expect(replies.map(({ body }) => JSON.parse(body).allowed)).toEqual([true, false, false])
      expect(server.verbs).toEqual(['consume', 'consume', 'consume'])
    })

    test('writes headers if the options ask for them, and never Retry-After', async () => {
      const server = await open({ ...perMinute(1), dryRun: true, headers: 'draft' })
      expect(limitFields(await server.get())).toEqual(spent)
      const reply = await server.get()
      expect([reply.status, limitFields(reply)]).toEqual([200, spent])
    })

    test('denies no client in a list, and calls no handler of denials', async () => {
      const server = await open({
        ...perMinute(0),
        dryRun: true,
        deny: ['127.0.0.1'],
        onDenied: () => ({ status: 500, type: 'text/plain', body: 'denied' }),
      })
      expect((await server.get()).status).toBe(200)
    })
  })
}
