import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { started } from '../../../.ci/smoke/program.mjs'
import { requestsAndStreams } from '../../../.ci/smoke/requests-and-streams.mjs'
import { expect, test } from 'vitest'
import { build, buildsWithinMs, commandOf } from '../src/applications.js'
import { programs, runtimes } from '../src/runtimes.js'

/** How an example starts, which its script `start` in `package.json` says as well. */
interface Example {
  readonly folder: string
  readonly program: string
  readonly args: readonly string[]
  readonly missing?: string | undefined
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
  { folder: 'bun', program: programs.bun, args: ['server.js'], missing: missingIn('Bun') },
  {
    folder: 'deno',
    program: programs.deno,
    args: ['run', '--allow-net', '--allow-env', 'server.js'],
    missing: missingIn('Deno'),
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

for (const { folder, program, args, missing, isProxied, ...example } of examples) {
  const title = `examples/${folder} starts, and limits requests and streams`
  test.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title} (skipped: ${missing})`,
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

function missingIn(name: string): string | undefined {
  return runtimes.find((each) => each.name === name)?.missing
}
