import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { overOf, signalOfResponse } from '../../src/calls/method-exchange.js'

function newResponse(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()))
}

test('all calls of a response share one listener of its end', async () => {
  const response = newResponse()
  const over = overOf(response)
  expect(overOf(response)).toBe(over)
  expect(overOf(newResponse())).not.toBe(over)
  expect(response.listenerCount('close')).toBe(1)
  response.emit('close')
  await over
})

test('all calls of a response share one signal, which aborts if the client disconnects', () => {
  const response = newResponse()
  const signal = signalOfResponse(response)
  expect(signalOfResponse(response)).toBe(signal)
  expect(signalOfResponse(newResponse())).not.toBe(signal)
  expect([response.listenerCount('close'), signal.aborted]).toEqual([1, false])
  response.emit('close')
  expect(signal.aborted).toBe(true)
})

test('the signal of a response that was sent does not abort', () => {
  const response = newResponse()
  const signal = signalOfResponse(response)
  Object.defineProperty(response, 'writableFinished', { value: true })
  response.end()
  response.emit('finish')
  expect([response.listenerCount('close'), signal.aborted]).toEqual([0, false])
})
