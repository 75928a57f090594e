import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const page = readFileSync(`${root}packages/docs/learn/getting-started.md`, 'utf8')

test('the commands of "Try it" print the output below them', async () => {
  const [, commands, output] = /^```sh\n(for [^]*?)^```\n\n```text\n([^]*?)^```$/m.exec(page) ?? [
    '',
    '',
    '',
  ]
  const url = await startExample()
  const { stdout } = await run('bash', ['-c', commands.replaceAll('http://localhost:3000/', url)])
  expect(withoutTime(stdout)).toBe(withoutTime(output))
  expect(stdout).toContain('"status":429')
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

/** The text without the wait, which depends on the machine. */
function withoutTime(text: string): string {
  return text.trim().replace(/(?<=Try again in )\d+/, '0')
}
