import { describe, expect, test } from 'vitest'
import {
  byConnection,
  byIp,
  createLimiter,
  limitConnections,
  limitEvents,
  limitMessages,
  limitUpgrades,
} from '../src/index.js'

const limiter = createLimiter({ name: 'sockets', limit: 1, window: '1m' })
const server = { emit: () => true }

/** The code and the message of the error that a call throws. */
function errorOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return `${Reflect.get(Object(error), 'code')} ${Reflect.get(Object(error), 'message')}`
  }
  return 'none'
}

describe('wrong options are errors that name the right one', () => {
  test.each([
    ['limitConnections', () => limitConnections({} as never)],
    ['limitEvents', () => limitEvents({ limit: 1, window: '1m' } as never)],
    ['limitUpgrades', () => limitUpgrades(server, undefined as never)],
  ])('%s without a limiter', (where, call) => {
    const error = errorOf(call)
    expect(error).toContain(`${where}: "limiter" is`)
    expect(error).toContain('createLimiter({ name, policies })')
  })

  test.each([
    ['SLUICE_OPTION_UNKNOWN', { keys: byIp() }, '"key"'],
    ['SLUICE_OPTION_RENAMED', { keyGenerator: () => 'a' }, '"key"'],
    ['SLUICE_OPTION_INVALID', { key: byIp }, 'byIp()'],
    ['SLUICE_OPTION_INVALID', { key: 'ip' }, 'byIp()'],
    ['SLUICE_OPTION_INVALID', { cost: -1 }, 'a whole number'],
    ['SLUICE_OPTION_INVALID', { onDenied: 'close' }, 'a function'],
    ['SLUICE_OPTION_INVALID', { address: 1 }, 'Pass { proxies: 1 }'],
  ])('%s for %o', (code, options, advice) => {
    const error = errorOf(() => limitEvents(limiter, options as never))
    expect(error).toContain(code)
    expect(error).toContain(advice)
  })

  test('limitMessages without a handler, or with something else in place of a request', () => {
    const socket = {} as never
    expect(errorOf(() => limitMessages(socket, limiter, {} as never))).toContain('"onMessage"')
    const options = { onMessage() {}, request: '203.0.113.9' as never }
    expect(errorOf(() => limitMessages(socket, limiter, options))).toContain('"request"')
  })

  test('limitUpgrades of something else than a server', () => {
    const error = errorOf(() => limitUpgrades('http://localhost' as never, limiter))
    expect(error).toContain('a server of node:http, or a WebSocketServer of ws')
  })

  test('byConnection for something else than a connection', () => {
    expect(errorOf(() => byConnection()({ socket: {} }))).toContain('SLUICE_OPTION_INVALID')
  })
})
