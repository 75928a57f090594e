import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { expect, test } from 'vitest'
import { keepDecision, keptDecision } from '../../src/calls/call.js'
import { createLimiter } from '../../src/index.js'

test('a client that sends texts has the decision on its latest message, and none after one that is not limited', () => {
  const limiter = createLimiter({ name: 'messages', limit: 5, window: '1m' })
  const [client, other] = [{}, {}]
  const contextOf = (socket: object, data: unknown): ExecutionContextHost => {
    const context = new ExecutionContextHost([socket, data])
    context.setType('ws')
    return context
  }
  const [first, second] = [limiter.consume('ada'), limiter.consume('ada')]
  keepDecision(contextOf(client, 'one'), first)
  expect(keptDecision(contextOf(client, 'one'))).toBe(first)
  keepDecision(contextOf(client, 'two'), second)
  expect(keptDecision(contextOf(client, 'two'))).toBe(second)
  expect(keptDecision(contextOf(other, 'two'))).toBeUndefined()
  keepDecision(contextOf(client, 'three'), undefined)
  expect(keptDecision(contextOf(client, 'three'))).toBeUndefined()
})
