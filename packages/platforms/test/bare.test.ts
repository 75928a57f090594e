import { expect, test } from 'vitest'
import { runtimes } from '../src/runtimes.js'

// Without these, a failure of a limited server could be one of the installation.
for (const { name, missing, serve } of runtimes) {
  test.skipIf(missing !== undefined)(`${name} serves a handler${because(missing)}`, async () => {
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

function because(missing: string | undefined): string {
  return missing === undefined ? '' : ` (skipped: ${missing})`
}
