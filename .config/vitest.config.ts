import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const nest10 = `${root}packages/nestjs/test/nest10/node_modules/@nestjs/`

export default defineConfig({
  root,
  test: {
    projects: [
      { extends: true, test: { name: 'all', include: ['packages/*/test/**/*.test.ts'] } },
      {
        // Once more what is about NestJS, with NestJS 10 in the place of 11 for all that is imported, our own source included.
        extends: true,
        resolve: { alias: [{ find: /^@nestjs\//, replacement: nest10 }] },
        test: {
          name: 'nest10',
          include: [
            'packages/nestjs/test/**/*.test.ts',
            'packages/conformance/test/**/nestjs*.test.ts',
          ],
        },
      },
    ],
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
