import { spawnSync } from 'node:child_process'

/** Runs a command and returns its output. If it fails, prints the output and ends the process. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  if (status === 0) return stdout
  console.error(`${stdout ?? ''}${stderr ?? ''}${error ?? ''}`)
  console.error(`This failed: ${command} ${args.join(' ')}`)
  process.exit(1)
}
