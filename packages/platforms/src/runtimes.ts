import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { started } from '../../../.ci/smoke/program.mjs'

/** A server that runs. */
export interface Running {
  readonly url: string
  stop(): Promise<void>
}

/** A way to serve a module whose default export has a method `fetch`. */
export interface Runtime {
  readonly name: string
  /** The reason why this machine cannot run it. */
  readonly missing?: string | undefined
  /**
   * Serves a module of `servers` on a free port of the loopback.
   *
   * @param env its environment; on workerd, its bindings
   */
  serve(module: string, env?: Readonly<Record<string, string>>): Promise<Running>
}

const require = createRequire(import.meta.url)
const servers = fileURLToPath(new URL('../servers', import.meta.url))

/** The programs of Bun and Deno. */
export const programs = {
  bun: join(dirname(require.resolve('bun/package.json')), 'bin/bun.exe'),
  deno: join(dirname(require.resolve('deno/package.json')), 'deno'),
}

/** Every runtime whose servers take a `Request` and return a `Response`. */
export const runtimes: readonly Runtime[] = [
  program('@hono/node-server on Node', process.execPath, [], 'hono-node-server.js'),
  program('srvx on Node', process.execPath, [], 'srvx.js'),
  program('Bun', programs.bun, [], 'bun.js'),
  program('Deno', programs.deno, ['run', '--allow-net', '--allow-env', '--allow-read'], 'deno.js'),
  worker('workerd', []),
  worker('workerd with nodejs_compat', ['nodejs_compat']),
]

function program(name: string, path: string, args: string[], file: string): Runtime {
  const { error, status } = spawnSync(path, ['--version'])
  const missing = status === 0 ? undefined : `${path} does not run here: ${error?.message}`
  return { name, missing, serve }

  async function serve(module: string, env = {}): Promise<Running> {
    const running = await started(servers, file, args, { ...env, MODULE: `./${module}` }, path)
    // The program listens when it has answered any request.
    await running.ask('/')
    return running
  }
}

/** A Worker in the workerd of Miniflare, bundled as Wrangler does it, but without a way to import a module of Node. */
function worker(name: string, compatibilityFlags: string[]): Runtime {
  return { name, serve }

  async function serve(module: string, bindings = {}): Promise<Running> {
    const { outputFiles } = await build({
      entryPoints: [join(servers, module)],
      bundle: true,
      format: 'esm',
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:workers'],
      write: false,
      logLevel: 'error',
    })
    const miniflare = new Miniflare({
      modules: true,
      script: outputFiles[0].text,
      compatibilityDate: '2026-04-01',
      compatibilityFlags,
      bindings,
    })
    const { origin } = await miniflare.ready
    return { url: origin, stop: async () => miniflare.dispose() }
  }
}
