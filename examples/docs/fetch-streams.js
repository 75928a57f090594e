// A limit of streams that run at the same time.
import assert from 'node:assert/strict'
// #region streams
import { concurrency, rateLimit } from '@sluice/fetch'

const streams = rateLimit({ policies: concurrency({ limit: 2, lease: '30s' }), key: 'all' })

export const handler = streams(
  () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode('more\n')),
      }),
    ),
)
// #endregion
const ask = () => handler(new Request('http://localhost/'))
const [first, second] = [await ask(), await ask()]
assert.deepEqual([first.status, second.status, (await ask()).status], [200, 200, 429])
await first.body?.cancel()
await new Promise((resolve) => setTimeout(resolve))
const third = await ask()
assert.equal(third.status, 200)
await Promise.all([second.body?.cancel(), third.body?.cancel()])
