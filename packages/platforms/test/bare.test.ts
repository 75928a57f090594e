import { expect, test } from 'vitest'
import { runtimes } from '../src/runtimes.js'
import { skipIf } from '../src/skip.js'

// Without these, a failure of a limited server could be one of the installation.
for (const { name, missing, serve } of runtimes) {
  const { isSkipped, title } = skipIf(name, missing, `${name} serves a handler`)
  test.skipIf(isSkipped)(title, async () => {
    const server = await serve('bare.js')
    try {
      const response = await fetch(`${server.url}/`)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('Hello.')
    } finally {
      await server.stop()
    }
  })
}
