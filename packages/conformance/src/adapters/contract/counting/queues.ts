import { leakyQueue } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'

function consumes(verbs: readonly string[]): number {
  return verbs.filter((verb) => verb === 'consume').length
}

export function describeQueues(open: OpenServer): void {
  describe('a leaky queue', () => {
    test('delays requests, and denies those that it would delay for too long', async () => {
      const policy = leakyQueue({ leak: 1, every: 100, maxDelay: 200 })
      const server = await open({ policies: policy, key: 'all' })
      const since = performance.now()
      const sent = []
      for (let i = 0; i < 4; i++) {
        sent.push(server.get({ 'x-answer': 'decision' }))
        await until('it has been asked for', () => consumes(server.verbs) === i + 1)
      }
      const replies = await Promise.all(sent)
      const allowed = replies.filter(({ status }) => status === 200)
      const denied = replies.filter(({ status }) => status === 429)
      // Usually the last one is denied. A call that came too late on a loaded machine is sent again, after the others.
      expect([allowed.length, denied.length]).toEqual([3, 1])
      const decisions = allowed.map(({ body }) => JSON.parse(body))
      // The delay is over when the handler sees the decision.
      expect(decisions.map(({ delayMs }) => delayMs)).toEqual([0, 0, 0])
      const delays = [0, 100, 200]
      // The other numbers are those of the moment at which it was made.
      expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 1, 0])
      for (const [i, at] of server.reached.entries()) {
        // A timer may fire up to a millisecond before its time.
        expect(at - since).toBeGreaterThan(delays[i] - 1)
      }
    })

    test('refunds the request of a client that disconnects', async () => {
      const policy = leakyQueue({ leak: 1, every: '5s', maxDelay: '1m' })
      const server = await open({ policies: policy, key: 'all' })
      await server.get()
      const leaving = server.send()
      await until('it has been asked for', () => server.verbs.length === 2)
      leaving.hangUp()
      await until('it is refunded', () => server.verbs.length === 3)
      expect(server.verbs).toEqual(['consume', 'consume', 'refundReceipt'])
      expect((await server.limiter(policy).peek('all')).delayMs).toBe(5000)
      expect(server.reached.length).toBe(1)
      expect(server.errors).toEqual([])
    })
  })
}
