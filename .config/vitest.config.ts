import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    setupFiles: ['packages/conformance/test/seed.ts'],
    // Redis servers and forked processes start inside the tests, on machines as small as two cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // A stray .only would let the rest of the suite pass unseen.
    allowOnly: false,
    passWithNoTests: false,
  },
})
