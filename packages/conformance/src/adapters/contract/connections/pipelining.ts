import { once } from 'node:events'
import { connect } from 'node:net'
import { concurrency, fixedWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { untilUsed, usedOf } from '../used.js'

/** HTTP/1 only: HTTP/2 has streams instead. */
export function describePipelining({ writesResponse }: Adapter, open: OpenServer): void {
  describe('requests in one packet', () => {
    test('are counted separately, and have their responses in order', async () => {
      const server = await open({ policies: fixedWindow({ limit: 2, window: '1m' }), key: 'all' })
      const socket = connect(server.port, '127.0.0.1')
      socket.write(`${requestOf()}${requestOf()}${requestOf('Connection: close')}`)
      let received = ''
      socket.setEncoding('utf8').on('data', (text: string) => (received += text))
      await once(socket, 'close')
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
        'HTTP/1.1 200',
        'HTTP/1.1 200',
        'HTTP/1.1 429',
      ])
      expect(received.match(/(?<=\nratelimit: )[^\r]*/gi)).toEqual([
        '"api";r=1;t=60',
        '"api";r=0;t=60',
        '"api";r=0;t=60',
      ])
    })

    // The server aborts the signal of the first request only: the others have begun no response.
    const releases = writesResponse ? (['done', 'close'] as const) : (['done'] as const)
    test.each(releases)(
      'release their units on %s, including requests that wait for others',
      async (releaseOn) => {
        const policy = concurrency({ limit: 3, lease: '10s' })
        const server = await open({ policies: policy, key: 'all', releaseOn })
        const socket = connect(server.port, '127.0.0.1')
        socket.write(requestOf('X-Answer: hold').repeat(3))
        await server.holding(3)
        expect(await usedOf(server, policy)).toBe(3)
        socket.destroy()
        await once(socket, 'close')
        if (releaseOn === 'done') {
          await until('the server knows', () => server.over > 0)
          expect(await usedOf(server, policy)).toBe(3)
          server.letGo()
        }
        await untilUsed(server, policy, 0)
        server.letGo()
        expect((await server.get()).status).toBe(200)
        await until('all is released', () => server.verbs.length === 8)
        expect(server.verbs.filter((verb) => verb === 'release').length).toBe(4)
      },
    )
  })
}

function requestOf(field = 'X-Other: 1'): string {
  return `GET / HTTP/1.1\r\nHost: localhost\r\n${field}\r\n\r\n`
}
