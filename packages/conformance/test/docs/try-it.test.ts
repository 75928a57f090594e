import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')

test('the commands of "Try it" in README.md print the output below them', async () => {
  const [, section] = /^## Try it\n([^]*?)^## /m.exec(readme) ?? []
  const [, commands, output] = /^```sh\n(for [^]*?)^```\n\n```text\n([^]*?)^```$/m.exec(
    section,
  ) ?? ['', '', '']
  const url = await startExample()
  const { stdout } = await run('bash', ['-c', commands.replaceAll('http://localhost:3000/', url)])
  expect(withoutTime(stdout)).toBe(withoutTime(output))
  expect(stdout).toContain('429 Too Many Requests')
})

/** Starts the server of `npm start` on a free port. */
async function startExample(): Promise<string> {
  const port = await freePort()
  const { REDIS_URL: _, ...env } = process.env
  const server = spawn(process.execPath, [`${root}examples/express/server.js`], {
    env: { ...env, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    server.kill()
    await once(server, 'close')
  })
  await once(server.stdout, 'data')
  return `http://localhost:${port}/`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port')
  return address.port
}

/** A response without its date and its wait, which depends on the machine. */
function withoutTime(text: string): string {
  return text
    .replaceAll('\r', '')
    .trim()
    .replace(/(?<=^Date: ).*$/m, 'now')
    .replace(/(?<=^Content-Length: |^Retry-After: |;t=|Try again in )\d+/gm, '0')
}
