import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'

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

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser in the variable CHROMIUM, or one on the PATH. Without a browser the test fails, and the error names the package to install. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  if (env['CHROMIUM'] !== undefined) return env['CHROMIUM']
  const folders = (env['PATH'] ?? '').split(delimiter)
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(isExecutable)
  if (found !== undefined) return found
  throw new Error(`The playground is tested in a real Chromium, and there is none.

Install it, then run this command again:

  Debian           sudo apt-get install --no-install-recommends chromium
  macOS            brew install --cask chromium

or say where one is:   CHROMIUM=/path/to/chromium npm run check:pages`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
