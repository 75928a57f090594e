import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const nest10 = `${root}packages/nestjs/test/nest10/node_modules/@nestjs/`

// Node loads the built packages itself, about a third faster than vite.
const server = { deps: { external: [/\/packages\/[^/]+\/(?:dist|bundle)\//] } }

/** Their test files share a process and its modules: to load the modules for each file again would take longer than most of its tests. */
const shared = ['core', 'express', 'koa', 'fastify', 'nestjs', 'rules', 'cli'].flatMap(testsOf)

/**
 * The files among them that need a process of their own: they read warnings of the process, load modules again, set the time, or remove a Unix socket.
 * After the removal, Node 20 does not resolve symbolic links of modules until the next synchronous `stat`: `realpath` reads the type of the socket.
 */
const alone = shared.filter((file) =>
  /'warning'|warningOf|resetModules|useFakeTimers|stub(?:Env|Global)|\.listen\(path\)/.test(
    readFileSync(root + file, 'utf8'),
  ),
)

/** These files check the pages of the documentation, and what is drawn in a browser. `npm run check:pages` runs them. */
const pages = [
  'packages/conformance/test/docs/**/*.test.ts',
  'packages/conformance/test/playground/**/*.test.ts',
  'packages/conformance/test/site/**/*.test.ts',
  'packages/cli/test/**/*.browser.test.ts',
]

export default defineConfig({
  root,
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: shared,
          exclude: [...alone, ...pages],
          isolate: false,
          server,
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['packages/{conformance,faults,benchmarks}/test/**/*.test.ts', ...alone],
          exclude: pages,
          server,
        },
      },
      { extends: true, test: { name: 'pages', include: pages, server } },
      {
        // The tests of NestJS again, with NestJS 10 instead of 11 for all imports, also in the sources.
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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // A forgotten `.only` would skip the rest of the suite.
    allowOnly: false,
    passWithNoTests: false,
  },
})

function testsOf(name: string): string[] {
  const folder = `packages/${name}/test/`
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => folder + file)
}
