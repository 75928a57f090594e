import { once, type EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ResponseOutcome } from '../../../src/http/request/exchange.js'
import { isOver, whenOver } from '../../../src/http/request/node-exchange.js'
import { dial, startHttp1, startHttp2, type Answering, type Start } from '../servers.js'

/** More bytes than the buffers between a server and a client that does not read. */
const much = Buffer.alloc(32 * 2 ** 20)

/** The outcomes of the responses, in order. */
function listener(): {
  readonly heard: ResponseOutcome[]
  readonly hear: (response: Answering) => () => void
  readonly closed: (count?: number) => Promise<void>
} {
  const heard: ResponseOutcome[] = []
  let closed = 0
  return {
    heard,
    hear(response) {
      response.once('close', () => closed++)
      return whenOver(response, (outcome) => void heard.push(outcome))
    },
    async closed(count = 1) {
      await vi.waitFor(() => expect(closed).toBe(count))
      await setImmediate()
    },
  }
}

/** Listeners of "finish" and "close" on a response, and of "close" on the stream of HTTP/2. */
function listenersOf(response: Answering): number[] {
  const { stream } = response
  const counts = ['finish', 'close'].map((event) => response.listenerCount(event))
  return [
    ...counts,
    stream === undefined ? 0 : (stream as unknown as EventEmitter).listenerCount('close'),
  ]
}

/** The listeners that `whenOver` adds, and those of `hear`. */
const servers: [string, Start, own: number[], testers: number[]][] = [
  ['HTTP/1', startHttp1, [1, 1, 0], [0, 1, 0]],
  ['HTTP/2', startHttp2, [0, 0, 1], [0, 0, 0]],
]

describe.each(servers)('%s', (_, start, own, testers) => {
  test('calls back once for a response that was sent', async () => {
    const { heard, hear, closed } = listener()
    const ask = await start((response) => {
      hear(response)
      response.statusCode = 201
      response.end('hello')
    })
    expect(await ask().whole()).toBe('hello')
    await closed()
    expect(heard).toEqual([{ status: 201, aborted: false }])
  })

  test('calls back once if the client disconnects before the response', async () => {
    const { heard, hear, closed } = listener()
    let asked = 0
    const ask = await start((response) => {
      hear(response)
      asked++
    })
    const client = ask()
    await vi.waitFor(() => expect(asked).toBe(1))
    client.leave()
    await closed()
    expect(heard).toEqual([{ status: 200, aborted: true }])
  })

  test('calls back once if the client disconnects during the response', async () => {
    const { heard, hear, closed } = listener()
    const ask = await start((response) => {
      hear(response)
      response.statusCode = 206
      response.write('some')
    })
    const client = ask()
    await client.begun()
    client.leave()
    await closed()
    expect(heard).toEqual([{ status: 206, aborted: true }])
  })

  test('a response that was ended, but not sent before the client disconnected, is aborted', async () => {
    const { heard, hear, closed } = listener()
    const ask = await start((response) => {
      hear(response)
      response.end(much)
    })
    const client = ask()
    await client.begun()
    client.leave()
    await closed()
    expect(heard).toEqual([{ status: 200, aborted: true }])
  })

  test('a response that takes long to send is not aborted', async () => {
    const { heard, hear, closed } = listener()
    const ask = await start((response) => {
      hear(response)
      response.end(much)
    })
    expect((await ask().whole()).length).toBe(much.length)
    await closed()
    expect(heard).toEqual([{ status: 200, aborted: false }])
  })

  test('calls back immediately if the response is over', async () => {
    const { heard, hear, closed } = listener()
    const responses: Answering[] = []
    const ask = await start((response, url) => {
      responses.push(response)
      hear(response)
      if (url === '/whole') response.end('hello')
      else response.write('some')
    })
    await ask('/whole').whole()
    await closed()
    const client = ask('/cut')
    await client.begun()
    client.leave()
    await closed(2)
    expect(responses.map(isOver)).toEqual([true, true])
    heard.length = 0
    for (const response of responses) whenOver(response, (outcome) => void heard.push(outcome))
    expect(heard).toEqual([
      { status: 200, aborted: false },
      { status: 200, aborted: true },
    ])
  })

  test('does not call back after a cancellation, and keeps no listeners', async () => {
    const { heard, hear, closed } = listener()
    const counts: number[][] = []
    const ask = await start((response) => {
      const listeners = () => listenersOf(response)
      const before = listeners()
      const callOff = whenOver(response, (outcome) => void heard.push(outcome))
      const during = listeners()
      callOff()
      counts.push(before, during, listeners())
      hear(response)()
      response.end()
    })
    await ask().whole()
    await closed()
    const [before, during, after] = counts
    expect(during).toEqual(before.map((count, i) => count + own[i]))
    expect(after).toEqual(before)
    expect(heard).toEqual([])
  })

  test('keeps no listeners of a response that is over', async () => {
    const { hear, closed } = listener()
    let left: number[] = []
    let before: number[] = []
    const ask = await start((response) => {
      const listeners = () => listenersOf(response)
      before = listeners()
      whenOver(response, () => (left = listeners()))
      hear(response)
      response.end()
    })
    await ask().whole()
    await closed()
    // Those of `hear`, which was not called yet, and the listener by which the test waits for the end.
    expect(left).toEqual(before.map((count, i) => count + own[i] + testers[i]))
  })
})

test('a response after which the connection is closed is not aborted', async () => {
  const { heard, hear } = listener()
  const socket = await dial((response) => {
    hear(response)
    response.end('hello')
  })
  socket.end('GET / HTTP/1.0\r\n\r\n').resume()
  await once(socket, 'close')
  await vi.waitFor(() => expect(heard).toEqual([{ status: 200, aborted: false }]))
})

describe('a HEAD request of HTTP/2', () => {
  test('calls back once if the client resets it, although the response emits no event', async () => {
    const { heard, hear } = listener()
    const events: string[] = []
    let asked = 0
    const ask = await startHttp2((response) => {
      asked++
      for (const event of ['finish', 'close'] as const) {
        response.once(event, () => void events.push(event))
      }
      hear(response)
    })
    const client = ask('/', 'HEAD')
    await vi.waitFor(() => expect(asked).toBe(1))
    client.leave()
    await vi.waitFor(() => expect(heard).toEqual([{ status: 200, aborted: true }]))
    await setImmediate()
    expect([heard.length, events]).toEqual([1, []])
  })

  test('calls back once for a response that was sent', async () => {
    const { heard, hear, closed } = listener()
    const ask = await startHttp2((response) => {
      hear(response)
      response.statusCode = 204
      response.end()
    })
    await ask('/', 'HEAD').whole()
    await closed()
    expect(heard).toEqual([{ status: 204, aborted: false }])
  })
})

/** Pipelined requests on one connection. */
async function pipelined(
  count: number,
  handler: (response: Answering, url: string) => void,
): Promise<{ client: Socket; responses: Answering[] }> {
  const responses: Answering[] = []
  const client = await dial((response, url) => {
    responses.push(response)
    handler(response, url)
  })
  for (let i = 0; i < count; i++) client.write(`GET /${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await vi.waitFor(() => expect(responses.length).toBe(count))
  return { client, responses }
}

function connectionOf({ req }: Answering): Socket {
  return req?.socket as Socket
}

describe('pipelined requests', () => {
  test('are distinguished, in any order of their responses', async () => {
    const { heard, hear, closed } = listener()
    const { client, responses } = await pipelined(3, hear)
    client.resume()
    responses.forEach((response, i) => (response.statusCode = 200 + i))
    for (const i of [2, 0, 1]) responses[i].end()
    await closed(3)
    expect(heard).toEqual([200, 201, 202].map((status) => ({ status, aborted: false })))
  })

  test('are all over when their connection closes, even those whose response emits no event', async () => {
    const { heard, hear } = listener()
    const { client, responses } = await pipelined(3, hear)
    responses[1].end('never sent')
    client.destroy()
    await vi.waitFor(() => expect(heard.length).toBe(3))
    await setImmediate()
    expect(heard).toEqual([200, 200, 200].map((status) => ({ status, aborted: true })))
    expect(responses.map(isOver)).toEqual([true, true, true])
  })

  test('are over immediately if their connection is closed already', async () => {
    const { heard, hear, closed } = listener()
    const { client, responses } = await pipelined(2, () => {})
    hear(responses[0])
    client.destroy()
    await closed()
    hear(responses[1])
    expect(heard).toEqual([200, 200].map((status) => ({ status, aborted: true })))
  })

  test('share one listener of the connection, which is removed with the last of them', async () => {
    const warnings: string[] = []
    const warned = ({ name }: Error) => void warnings.push(name)
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))

    const { heard, hear, closed } = listener()
    const { client, responses } = await pipelined(30, () => {})
    client.resume()
    const connection = connectionOf(responses[0])
    const before = connection.listenerCount('close')
    responses.forEach(hear)
    expect(connection.listenerCount('close')).toBe(before + 1)
    for (const response of responses) response.end()
    await closed(30)
    expect(heard.length).toBe(30)
    // Node itself has one for the response that is being sent.
    expect(connection.listenerCount('close')).toBe(before - 1)
    expect(warnings).toEqual([])
  })
})
