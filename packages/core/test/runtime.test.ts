import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { inheritedMember, remoteAddressOf } from '../src/runtime.js'

class Made {
  readonly own: string = 'own'

  get computed(): string {
    return `computed by ${this.own}`
  }

  method(): string {
    return this.own
  }
}

test('a getter and a method of the class of an object are members that no client writes', () => {
  const made = new (class Other extends Made {})()
  expect(inheritedMember(made, 'computed')).toBe('computed by own')
  expect(inheritedMember(made, 'method')).toBe(made.method)
  expect(inheritedMember(new Proxy(made, {}), 'computed')).toBe('computed by own')
})

const json = '{"a":{"b":1},"__proto__":{"a":{"b":1}}}'

test.each<[string, unknown]>([
  ['a parsed object', JSON.parse(json)],
  ['one of another realm', runInNewContext(`JSON.parse('${json}')`)],
  // With its member "__proto__", this object has the prototype that a client wrote.
  ['a copy of it', Object.assign({}, JSON.parse(json))],
  ['an object that inherits from it', Object.create(JSON.parse(json))],
  ['an instance of a class with its members', Object.assign(new Made(), JSON.parse(json))],
  ['a list', Object.assign([1], JSON.parse(json))],
  ['undefined', undefined],
  ['null', null],
  ['a text', 'a'],
])('the members of %s may be those that a client wrote', (_, value) => {
  expect(inheritedMember(value, 'a')).toBeUndefined()
})

test('an own member of an object hides the inherited one', () => {
  const made = new Made()
  Object.defineProperty(made, 'computed', { value: 'written' })
  expect([inheritedMember(made, 'computed'), inheritedMember(made, 'own')]).toEqual([
    undefined,
    undefined,
  ])
})

test('a socket of Node states an address, and no object that looks like one does', async () => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  get({ port: (server.address() as AddressInfo).port, agent: false }, (response) =>
    response.resume(),
  )
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  expect(remoteAddressOf(request.socket)).toBe('127.0.0.1')
  expect(remoteAddressOf({ remoteAddress: '192.0.2.1' })).toBeUndefined()
  expect(remoteAddressOf(undefined)).toBeUndefined()
})
