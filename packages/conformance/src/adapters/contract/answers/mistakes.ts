import { once } from 'node:events'
import { fixedWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { Adapter, NeutralOptions } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { perMinute } from '../limits.js'
import { usedOf } from '../used.js'

const thrown = (): never => {
  throw new Error('broken')
}
const rejected = async (): Promise<never> => thrown()
/** The values that a faulty function of an application returns. */
const missing = undefined as unknown as string & number

/** An id as an object document mapper returns it. */
class ObjectId {
  toString(): string {
    return '65f1'
  }
}
const idObject = new ObjectId() as unknown as string

const options = perMinute(9)
const { policies: policy, ...keyed } = options
const denied = perMinute(0)
const limited = { window: '1m', key: 'all', algorithm: fixedWindow }

export function describeMistakes({ answersWrongRequests }: Adapter, open: OpenServer): void {
  describe('errors of the application', () => {
    test.each<[string, NeutralOptions<unknown>]>([
      ['key, thrown', { ...options, key: thrown }],
      ['key, rejected', { ...options, key: rejected }],
      ['a part of the key, thrown', { ...options, key: ['a', thrown] }],
      ['a part of the key, rejected', { ...options, key: ['a', rejected] }],
      ["a policy's key, thrown", { ...options, key: { default: thrown } }],
      ["a policy's key, rejected", { ...options, key: { default: rejected } }],
      ['cost, thrown', { ...options, cost: thrown }],
      ['cost, rejected', { ...options, cost: rejected }],
      ['skip, thrown', { ...options, skip: thrown }],
      ['skip, rejected', { ...options, skip: rejected }],
      ['policies, thrown', { ...keyed, policies: thrown }],
      ['policies, rejected', { ...keyed, policies: rejected }],
      ['limit, thrown', { ...limited, limit: thrown }],
      ['limit, rejected', { ...limited, limit: rejected }],
      ['body, thrown', { ...denied, body: thrown }],
      ['body, rejected', { ...denied, body: rejected }],
    ])('in %s reach the error handling, and no request continues', async (_, options) => {
      const server = await open(options)
      for (let i = 1; i <= 2; i++) {
        const { status, body } = await server.get()
        expect([status, body]).toEqual([500, 'Error: broken'])
        expect(server.errors.length).toBe(i)
      }
      expect(server.reached).toEqual([])
    })

    test.each<[string, NeutralOptions<unknown>, string]>([
      ['the cost undefined', { ...options, cost: () => missing }, 'SLUICE_COST_INVALID'],
      ['the cost -1', { ...options, cost: () => -1 }, 'SLUICE_COST_INVALID'],
      ['the cost NaN', { ...options, cost: async () => NaN }, 'SLUICE_COST_INVALID'],
      ['no policy', { ...keyed, policies: () => ({ kind: 'none' }) }, 'SLUICE_POLICY_UNKNOWN'],
      ['no policies', { ...keyed, policies: () => missing }, 'SLUICE_RESULT_INVALID'],
      ['the limit -1', { ...limited, limit: () => -1 }, 'SLUICE_RESULT_INVALID'],
    ])('that return %s have a code, and no request continues', async (_, options, code) => {
      const server = await open(options)
      const { status, body } = await server.get()
      expect([status, body, server.errors.length]).toEqual([500, code, 1])
      expect([server.reached, server.verbs]).toEqual([[], []])
    })

    test('that return a body which cannot be sent have a code, and no request continues', async () => {
      const server = await open({ ...denied, body: () => ({ units: 1n }) })
      const { status, body } = await server.get()
      expect([status, body, server.errors.length]).toEqual([500, 'SLUICE_RESULT_INVALID', 1])
      expect(server.reached).toEqual([])
    })

    test.each<[string, NeutralOptions<unknown>]>([
      ['the key undefined', { ...options, key: () => missing }],
      ['the key ""', { ...options, key: async () => '' }],
      ['a part undefined', { ...options, key: ['a', () => missing] }],
      ["a policy's key undefined", { ...options, key: { default: () => missing } }],
    ])('that return %s are errors of the request, and no request continues', async (_, options) => {
      const server = await open(options)
      const { status, body } = await server.get()
      expect(status).toBe(400)
      if (!answersWrongRequests) {
        expect([body, server.errors.length]).toEqual(['SLUICE_KEY_INVALID', 1])
      }
      expect([server.reached, server.verbs]).toEqual([[], []])
    })

    test.each<[string, NeutralOptions<unknown>]>([
      ['a part', { ...options, key: ['user', () => idObject] }],
      ['the key', { ...options, key: () => idObject }],
      ['a part of a list', { ...options, key: () => ['user', idObject] }],
    ])('that return an id object as %s are errors of the application', async (_, options) => {
      const server = await open(options)
      const { status, body } = await server.get()
      expect([status, body, server.errors.length]).toEqual([500, 'SLUICE_KEY_OBJECT', 1])
      expect([server.reached, server.verbs]).toEqual([[], []])
    })

    test('that return a bigint count by its digits', async () => {
      const server = await open({ ...options, key: () => ['user', 5n] })
      expect((await server.get()).status).toBe(200)
      expect(server.errors).toEqual([])
    })

    test('after the response are warnings, and the unit stays taken', async () => {
      const server = await open({ ...options, count: thrown })
      const warned = once(process, 'warning')
      expect((await server.get()).status).toBe(200)
      const [warning] = await warned
      expect(String(warning)).toBe('Error: broken')
      expect(await usedOf(server, policy)).toBe(1)
      expect(server.errors).toEqual([])
    })
  })
}
