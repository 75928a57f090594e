import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** A folder with a page of a few lines: the real one has tests of its own. */
export const pageFolder: string = mkdtempSync(join(tmpdir(), 'sluice-page-'))

const files: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><title>Limits</title><script type="module" src="app.js"></script>',
  'app.js': 'document.title = "ready"',
  'style.css': 'body { margin: 0 }',
  'notes.md': 'not served',
}

for (const [name, text] of Object.entries(files)) writeFileSync(join(pageFolder, name), text)
await mkdir(join(pageFolder, 'parts'))
await writeFile(join(pageFolder, 'parts', 'chart.js'), 'export {}')

process.once('exit', () => rmSync(pageFolder, { recursive: true, force: true }))
