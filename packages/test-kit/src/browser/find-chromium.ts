import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

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
