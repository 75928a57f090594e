import { channel } from 'node:diagnostics_channel'
import type { Decision } from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { perMinute } from '../limits.js'

export function describeDecisions(open: OpenServer): void {
  describe('the option onDecision', () => {
    test('receives the request and the decision, and does not change the response', async () => {
      const told: [string | undefined, boolean][] = []
      const server = await open(({ header }) => ({
        ...perMinute(1),
        onDecision: (request, { allowed }) => told.push([header(request, 'x-name'), allowed]),
      }))
      const statuses = [
        await server.get({ 'x-name': 'Ann' }),
        await server.get({ 'x-name': 'Bob' }),
      ]
      expect(statuses.map(({ status }) => status)).toEqual([200, 429])
      expect(told).toEqual([
        ['Ann', true],
        ['Bob', false],
      ])
    })

    test.each<[string, () => void]>([
      ['throws', broken],
      ['rejects', async () => broken()],
    ])('does not fail the request if it %s: its error is a warning', async (_, onDecision) => {
      const warnings: string[] = []
      const note = (warning: Error): unknown => warnings.push(String(warning))
      process.on('warning', note)
      onTestFinished(() => void process.off('warning', note))
      const server = await open({ ...perMinute(1), onDecision })
      const replies = [await server.get(), await server.get()]
      expect(replies.map(({ status }) => status)).toEqual([200, 429])
      await until('both are reported', () => warnings.length === 2)
      expect(warnings).toEqual(['Error: told', 'Error: told'])
      expect(server.errors).toEqual([])
    })

    test('receives the same request as the events of decisions', async () => {
      const events: Event[] = []
      const listen = (event: unknown): unknown => events.push(event as Event)
      const decisions = channel('sluice:decision')
      decisions.subscribe(listen)
      onTestFinished(() => {
        decisions.unsubscribe(listen)
      })
      const requests: unknown[] = []
      const server = await open({
        ...perMinute(1),
        onDecision: (request) => requests.push(request),
      })
      await server.get()
      await server.get()
      expect(events.map(({ decision }) => decision.allowed)).toEqual([true, false])
      expect(events.map(({ request }, i) => request === requests[i])).toEqual([true, true])
    })
  })
}

interface Event {
  readonly decision: Decision
  readonly request?: unknown
}

function broken(): never {
  throw new Error('told')
}
