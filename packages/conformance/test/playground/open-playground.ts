import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { findChromium } from '@sluice/test-kit/browser'

/** The playground's server and a real browser. Both end with this process at the latest. */
export interface Playground {
  readonly url: string
  readonly browser: Browser
  stop(): Promise<void>
}

export async function openPlayground(): Promise<Playground> {
  const executablePath = findChromium()
  const folder = fileURLToPath(new URL('../../../../examples/playground/', import.meta.url))
  const server = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = (): unknown => server.kill('SIGKILL')
  process.once('exit', kill)
  const [said] = await once(server.stdout.setEncoding('utf8'), 'data')
  const url = /^Open (http:\S+)/.exec(String(said))?.[1]
  if (url === undefined) throw new Error(`the playground said: ${said}`)
  const browser = await chromium.launch({ executablePath })

  async function stop(): Promise<void> {
    await browser.close()
    server.kill('SIGINT')
    if (server.exitCode === null) await once(server, 'exit')
    process.off('exit', kill)
  }

  return { url, browser, stop }
}
