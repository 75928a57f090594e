import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readLimitersFile } from '../../src/reading/limiters-file.js'
import { folderWith } from '../sluice.js'

const core = fileURLToPath(new URL('../../../core/bundle/index.js', import.meta.url))

/** The names of the limiters of a module, and whether each is a limiter or its options. */
async function limitersIn(
  text: string,
  file = 'limiters.mjs',
): Promise<readonly (readonly [string, string])[]> {
  const cwd = await folderWith({ [file]: text })
  const found = await readLimitersFile(join(cwd, file))
  return found.map((one) => [one.name, 'limiter' in one ? 'limiter' : 'options'])
}

const options = `{ name: 'api', limit: 1, window: '1m' }`
const limiter = `import { createLimiter } from ${JSON.stringify(core)}
const limiter = createLimiter(${options})
`

test.each([
  ['options by name', `export const api = ${options}`],
  ['options with policies', `export const api = { name: 'api', policies: { kind: 'gcra' } }`],
  ['options of an adapter', `export const api = { ...${options}, key: 'ip', store: {} }`],
  ['options that lack the window', `export const api = { name: 'api', limit: 1 }`],
  ['the default export', `export default ${options}`],
  ['a record', `export default { api: ${options} }`],
  ['a list', `export const all = [${options}]`],
  ['the same options twice', `export const api = ${options}\nexport default { api }`],
  [
    'other exports beside',
    `export const api = ${options}, n = 1, f = () => {}, name = { name: 'x' }, none = null`,
  ],
])('%s are found', async (_, text) => {
  expect(await limitersIn(text)).toEqual([['api', 'options']])
})

test.each([
  ['a limiter', `${limiter}export { limiter }`],
  ['a record of limiters', `${limiter}export default { limiter }`],
  ['a middleware', `${limiter}export const limit = Object.assign(() => {}, { limiter })`],
  ['an object with a limiter', `${limiter}export default { limiter }`],
])('%s is found', async (_, text) => {
  expect(await limitersIn(text)).toEqual([['api', 'limiter']])
})

test('a CommonJS module is read', async () => {
  expect(await limitersIn(`module.exports = { api: ${options} }`, 'limiters.cjs')).toEqual([
    ['api', 'options'],
  ])
})

test.each([
  [
    'exports nothing',
    '',
    /exports no limiter\. Export the options of each limiter: export const api/,
  ],
  ['exports only other values', 'export const name = 1', /exports no limiter/],
  [
    'exports two limiters of one name',
    `export const a = ${options}, b = ${options}`,
    /exports two limiters with the name "api"$/,
  ],
  ['throws', `throw new Error('no DATABASE_URL')`, /cannot be imported: no DATABASE_URL$/],
])('a module that %s is refused', async (_, text, said) => {
  await expect(limitersIn(text)).rejects.toThrow(said)
})

test('a missing module is an error with its name', async () => {
  await expect(readLimitersFile('/nowhere/limiters.js')).rejects.toThrow(
    /^\/nowhere\/limiters\.js cannot be imported: Cannot find module '(?:file:\/\/)?\/nowhere\/limiters\.js'$/,
  )
})
