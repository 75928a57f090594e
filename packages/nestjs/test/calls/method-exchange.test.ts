import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { connectionOfResponse } from '../../src/calls/method-exchange.js'

function newResponse(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()))
}

test('all calls of a response share one listener of its end', async () => {
  const response = newResponse()
  const connection = connectionOfResponse(response)
  expect(connectionOfResponse(response)).toBe(connection)
  expect(connectionOfResponse(newResponse())).not.toBe(connection)
  expect([response.listenerCount('close'), connection.signal.aborted]).toEqual([1, false])
  response.emit('close')
  expect(connection.signal.aborted).toBe(true)
  await connection.over
})

test('the signal of a response that was sent does not abort', async () => {
  const response = newResponse()
  const { over, signal } = connectionOfResponse(response)
  Object.defineProperty(response, 'writableFinished', { value: true })
  response.end()
  response.emit('finish')
  await over
  expect([response.listenerCount('close'), signal.aborted]).toEqual([0, false])
})
