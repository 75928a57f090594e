import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const nest10 = `${root}packages/nestjs/test/nest10/node_modules/@nestjs/`

// Built packages are JavaScript that Node loads by itself, about a third faster than through vite.
const server = { deps: { external: [/\/packages\/[^/]+\/dist\//] } }

/**
 * The files of a folder that hear what a process is told once, load modules anew, or set the time: each has a process of its own. The
 * others can share one, and its modules.
 */
const alone = filesOf('packages/core/test/').filter((file) =>
  /'warning'|warningOf|resetModules|useFakeTimers|stub(?:Env|Global)/.test(
    readFileSync(root + file, 'utf8'),
  ),
)

/** These files check the pages of the documentation, and what is drawn in a browser. `npm run check:pages` runs them. */
const pages = [
  'packages/conformance/test/docs/**/*.test.ts',
  'packages/conformance/test/playground/**/*.test.ts',
  'packages/cli/test/**/*.browser.test.ts',
]

export default defineConfig({
  root,
  test: {
    projects: [
      {
        // These files share their modules and need nothing but them.
        extends: true,
        test: {
          name: 'core',
          include: ['packages/core/test/**/*.test.ts'],
          exclude: alone,
          isolate: false,
          server,
        },
      },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['packages/!(core)/test/**/*.test.ts', ...alone],
          exclude: pages,
          server,
        },
      },
      { extends: true, test: { name: 'pages', include: pages, server } },
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

function filesOf(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => folder + file)
}
