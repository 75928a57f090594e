import process from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { rateLimit } from '../src/index.js'

test('warns about a limit that counts a request twice', async () => {
  const codes: unknown[] = []
  const warned = (warning: Error & { code?: string }) => void codes.push(warning.code)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const limit = rateLimit({ limit: 5, window: '1m', key: 'all' })
  await turn()
  const handler = limit(() => new Response('hello'))
  await handler(new Request('http://host/'))
  await handler(new Request('http://host/'))
  await turn()
  expect(codes).toEqual([])
  await limit(handler)(new Request('http://host/'))
  await turn()
  expect(codes).toEqual(['SLUICE_COUNTED_TWICE'])
})
