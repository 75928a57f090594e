import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../bundle/page/', import.meta.url))

test('the page is four files, at most 90 kB together without compression', () => {
  const names = readdirSync(folder).toSorted()
  expect(names).toEqual(['LICENSES.txt', 'app.js', 'index.html', 'style.css'])
  const bytes = names.map((name) => statSync(folder + name).size)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(90_000)
})
