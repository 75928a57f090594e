import process from 'node:process'
import { installWithApt, isOnPath } from './apt.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Sees to it that there is a browser for the tests of the playground, or ends the process with what to do about it. */
export function provideChromium() {
  if (process.env.CHROMIUM !== undefined || names.some(isOnPath)) return
  if (installWithApt('chromium') && isOnPath('chromium')) return
  console.error(`The tests of the playground start a real Chromium, and there is none.

Install one, then run this command again:

  Debian   sudo apt-get install --no-install-recommends chromium
  macOS    brew install --cask chromium

or say where one is:   CHROMIUM=/path/to/chromium npm test
`)
  process.exit(1)
}
