import { EventEmitter } from 'node:events'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { expect, test } from 'vitest'
import { callOfMessage, connectionOfSocket } from '../../src/calls/message.js'

/** A socket as libraries make them: an emitter with some members. */
function socketWith(members: object): EventEmitter {
  return Object.assign(new EventEmitter(), members)
}

test.each([
  ['ws', { readyState: 1 }, 'close', 'disconnect'],
  ['socket.io', { handshake: {}, connected: true }, 'disconnect', 'close'],
])('the signal of a socket of %s aborts when the client disconnects', (_, members, end, other) => {
  const socket = socketWith(members)
  const signal = connectionOfSocket(socket)?.signal
  expect(signal?.aborted).toBe(false)
  socket.emit(other)
  expect(signal?.aborted).toBe(false)
  socket.emit(end)
  expect(signal?.aborted).toBe(true)
})

test.each([
  ['of ws is closing', { readyState: 2 }],
  ['of ws is closed', { readyState: 3 }],
  ['of socket.io is not connected', { handshake: {}, connected: false }],
])('a socket %s, so its signal has aborted', (_, members) => {
  const socket = socketWith(members)
  expect(connectionOfSocket(socket)?.signal.aborted).toBe(true)
  expect(socket.eventNames()).toEqual([])
})

test('the calls of a socket share one connection and one listener', () => {
  const socket = socketWith({ readyState: 1 })
  expect(connectionOfSocket(socket)).toBe(connectionOfSocket(socket))
  expect(socket.listenerCount('close')).toBe(1)
})

test.each([[undefined], [null], [5], ['socket'], [{}], [{ once: true }]])(
  '%s is no socket, and has no connection',
  (client) => {
    expect(connectionOfSocket(client)).toBeUndefined()
  },
)

test('a message of socket.io has the address, the URL and the headers of its handshake, and all that its client sent', () => {
  const handshake = {
    address: '192.0.2.1',
    url: '/socket.io/?room=1',
    headers: { 'x-key': 'ada' },
    query: { room: '1' },
    auth: { token: ['a', 'b'] },
  }
  const data = { text: 'hello' }
  const { view } = callOfMessage(new ExecutionContextHost([{ handshake }, data]), 'ws')
  const { address, url, headers, query, auth } = handshake
  expect([view.address, view.peer, view.url, view.headers]).toEqual([
    address,
    address,
    url,
    headers,
  ])
  expect([view.sent, view.trustsEveryProxy]).toEqual([[data, query, auth], false])
})
