import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { started } from '../../../.ci/smoke/program.mjs'
import type { Running } from './runtimes.js'

/** A build of a framework takes this long on a small machine that does something else as well. */
export const buildsWithinMs = 300_000

/** The command of a package that an application depends on. */
export function commandOf(folder: string, name: string, command: string): string {
  const manifest = createRequire(join(folder, 'package.json')).resolve(`${name}/package.json`)
  return join(dirname(manifest), command)
}

/** Builds an application, as its page says. */
export async function build(folder: string, command: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: production,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: buildsWithinMs,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${folder} cannot be built:\n${output}`)
}

/** Vitest sets variables that a framework would read. */
const production = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }

/** The folder of the tests of Next.js. */
const nextFolder = fileURLToPath(new URL('../next', import.meta.url))

let nextBuild: Promise<void> | undefined

/** Builds and starts the application of the tests of Next.js. */
export async function startNext(): Promise<Running> {
  const next = commandOf(nextFolder, 'next', 'dist/bin/next')
  await (nextBuild ??= build(nextFolder, next, ['build']))
  const running = await started(nextFolder, 'start', [next], { NODE_ENV: 'production' })
  await running.ask('/page')
  return running
}
