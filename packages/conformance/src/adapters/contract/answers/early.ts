import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { answerEarly } from '../../arrivals.js'
import type { NeutralOptions, RawResponse } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'

const cases: [string, NeutralOptions<unknown>][] = [
  ['allowed', perMinute(9)],
  ['allowed after a promise', { ...perMinute(9), cost: async () => 1 }],
  ['denied', perMinute(0)],
  ['denied after a promise', { ...perMinute(0), cost: async () => 1 }],
  ['denied by a list', { ...perMinute(9), deny: ['all'] }],
  ['denied, and sent on by the application', { ...perMinute(0), onDenied: () => undefined }],
  ['counted by its outcome', { ...perMinute(9), count: 'failures' }],
]

export function describeEarly(open: OpenServer): void {
  describe('a request with an early response', () => {
    test.each(cases)(
      '%s: keeps a response that was sent before the limiter ran',
      async (_, options) => {
        const server = await open(options, { first: answerEarly })
        for (let i = 0; i < 3; i++) {
          const reply = await server.get()
          expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'early', {}])
        }
        expect(server.errors).toEqual([])
      },
    )

    test.each([1, 0])(
      'keeps a response that is sent while the limiter runs (limit %i)',
      async (limit) => {
        const responses: RawResponse[] = []
        const server = await open(
          {
            ...perMinute(limit),
            cost: async () => {
              answerEarly({ response: responses[responses.length - 1] })
              return 1
            },
          },
          { first: ({ response }) => responses.push(response) },
        )
        for (let i = 0; i < 3; i++) {
          const reply = await server.get()
          expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'early', {}])
        }
        expect(server.errors).toEqual([])
      },
    )

    test.each(cases)(
      '%s: keeps a response that began before the limiter ran and ends later',
      async (_, options) => {
        const responses: RawResponse[] = []
        const server = await open(options, {
          first({ response }) {
            response.writeHead(200, { 'content-type': 'text/plain' })
            response.write('begun')
            responses.push(response)
          },
        })
        for (let i = 0; i < 3; i++) {
          const sent = server.send()
          await sent.begun
          // The limiter runs in the same turn of the event loop, or a few later.
          for (let turns = 0; turns < 10; turns++) await turn()
          responses[i].end(', ended')
          const reply = await sent.reply
          expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'begun, ended', {}])
        }
        expect(server.errors).toEqual([])
      },
    )
  })
}
