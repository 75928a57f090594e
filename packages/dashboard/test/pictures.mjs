// Takes the pictures of the dashboard on the pages, from the server of its tests: `npm run build && node packages/dashboard/test/pictures.mjs`. With a folder, it takes
// all states in both widths and color schemes instead, to look at.
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { startPageServer } = await load('packages/dashboard/test/page-server.ts')
const { findChromium } = await load('packages/test-kit/src/browser/find-chromium.ts')

const heights = { 390: 844, 1280: 1000 }
const [folder] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath: findChromium() })
const server = await startPageServer()
if (folder === undefined) {
  const docs = join(root, 'packages', 'docs', 'operate')
  await take('attack', 1280, 'light', join(docs, 'dashboard-light.png'), { fullPage: false })
  await take('attack', 390, 'dark', join(docs, 'dashboard-dark.png'), { fullPage: false })
} else {
  for (const name of ['empty', 'calm', 'busy', 'attack', 'failed', 'hostile', 'refused', 'read'])
    for (const width of [390, 1280])
      for (const scheme of ['light', 'dark'])
        await take(name, width, scheme, join(folder, `${name}-${width}-${scheme}.png`))
}
await browser.close()
await server.close()

async function take(name, width, colorScheme, path, options = { fullPage: true }) {
  const viewport = { width, height: heights[width] }
  const deviceScaleFactor = width === 390 ? 2 : 1
  const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor })
  const page = await context.newPage()
  await page.goto(`${server.url}${name}/`)
  await page.locator('.pulse[data-state=live]').waitFor()
  await page.screenshot({ path, animations: 'disabled', ...options })
  await context.close()
}

async function load(file) {
  const { module } = await runnerImport(join(root, file))
  return module
}
