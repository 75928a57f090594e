import { once } from 'node:events'
import { connect } from 'node:net'
import { concurrency, fixedWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenBench } from '../bench.js'
import { until } from '../until.js'
import { untilUsed, usedOf } from './used.js'

/** Of HTTP/1 only: HTTP/2 has streams in its place. */
export function describePipelining(open: OpenBench): void {
  describe('requests in one packet', () => {
    test('are each counted, and answered in their order', async () => {
      const bench = await open({ policy: fixedWindow({ limit: 2, window: '1m' }), key: 'all' })
      const socket = connect(bench.port, '127.0.0.1')
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
        '"default";r=1;t=60',
        '"default";r=0;t=60',
        '"default";r=0;t=60',
      ])
    })

    test.each(['done', 'close'] as const)(
      'give back what they hold on %s, those that wait for others too',
      async (releaseOn) => {
        const policy = concurrency({ limit: 3, lease: '10s' })
        const bench = await open({ policy, key: 'all', releaseOn })
        const socket = connect(bench.port, '127.0.0.1')
        socket.write(requestOf('X-Answer: hold').repeat(3))
        await bench.holding(3)
        expect(await usedOf(bench, policy)).toBe(3)
        socket.destroy()
        await once(socket, 'close')
        if (releaseOn === 'done') {
          await until('the server knows', () => bench.over > 0)
          expect(await usedOf(bench, policy)).toBe(3)
          bench.letGo()
        }
        await untilUsed(bench, policy, 0)
        bench.letGo()
        expect((await bench.get()).status).toBe(200)
        await until('all is released', () => bench.verbs.length === 8)
        expect(bench.verbs.filter((verb) => verb === 'release').length).toBe(4)
      },
    )
  })
}

function requestOf(field = 'X-Other: 1'): string {
  return `GET / HTTP/1.1\r\nHost: localhost\r\n${field}\r\n\r\n`
}
