import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { started } from '../../../.ci/smoke/program.mjs'
import { requestsAndStreams } from '../../../.ci/smoke/requests-and-streams.mjs'
import { expect, test } from 'vitest'
import { build, buildsWithinMs, commandOf } from '../src/applications.js'
import { programs, runtimes } from '../src/runtimes.js'
import { skipIf } from '../src/skip.js'

/** How an example starts, which its script `start` in `package.json` says as well. */
interface Example {
  readonly folder: string
  readonly program: string
  readonly args: readonly string[]
  /** The name of its runtime, if that can be missing. */
  readonly runtime?: string
  /** Whether it expects a proxy in front. */
  readonly isProxied?: boolean
  build?(): Promise<void>
}

const inExample = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))

const node = process.execPath
const next = commandOf(inExample('next'), 'next', 'dist/bin/next')
const vite = commandOf(inExample('sveltekit'), 'vite', 'bin/vite.js')
const wrangler = commandOf(inExample('workers'), 'wrangler', 'bin/wrangler.js')

/** Wrangler would otherwise ask a service of Cloudflare for the properties of requests, and send metrics. */
const environment = {
  NODE_ENV: 'production',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

const examples: readonly Example[] = [
  { folder: 'bun', program: programs.bun, args: ['server.js'], runtime: 'Bun' },
  {
    folder: 'deno',
    program: programs.deno,
    args: ['run', '--allow-net', '--allow-env', 'server.js'],
    runtime: 'Deno',
  },
  {
    folder: 'workers',
    program: 'sh',
    // Wrangler takes the port on its command line alone.
    args: ['-c', `exec "${node}" "${wrangler}" dev --ip 127.0.0.1 --port "$PORT"`],
  },
  {
    folder: 'next',
    program: node,
    args: [next, 'start'],
    isProxied: true,
    build: async () => build(inExample('next'), next, ['build']),
  },
  {
    folder: 'sveltekit',
    program: node,
    args: ['build'],
    build: async () => build(inExample('sveltekit'), vite, ['build']),
  },
]

for (const { folder, program, args, runtime = 'Node', isProxied, ...example } of examples) {
  const { missing } = runtimes.find(({ name }) => name === runtime) ?? {}
  const { isSkipped, title } = skipIf(
    runtime,
    missing,
    `examples/${folder} starts, and limits requests and streams`,
  )
  test.skipIf(isSkipped)(
    title,
    async () => {
      await example.build?.()
      const nodeOptions = args.slice(0, -1)
      const running = await started(
        inExample(folder),
        args[args.length - 1],
        nodeOptions,
        environment,
        program,
      )
      try {
        expect(await requestsAndStreams(running, isProxied)).toContain('then 429')
        await running.stop()
      } finally {
        running.kill()
      }
    },
    buildsWithinMs,
  )
}
