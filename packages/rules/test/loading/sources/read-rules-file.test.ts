import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRulesFile } from '../../../src/index.js'
import { useFolders } from '../folder.js'

const folder = useFolders()
const document = 'lists: { a: { file: lists/a.txt }, b: { file: b.txt } }\nrules: []\n'

test('a document is read with the files that it names', async () => {
  const path = await folder()
  await mkdir(join(path, 'lists'))
  await writeFile(join(path, 'rules.yaml'), document)
  await writeFile(join(path, 'lists', 'a.txt'), 'x')
  await writeFile(join(path, 'b.txt'), '')
  expect(await readRulesFile(join(path, 'rules.yaml'))).toEqual({
    text: document,
    format: 'yaml',
    files: new Map([
      ['lists/a.txt', 'x'],
      ['b.txt', ''],
    ]),
  })
})

test('a missing file of a document is left out, and a missing document is an error', async () => {
  const path = await folder()
  await writeFile(join(path, 'rules.yaml'), document)
  const { files } = await readRulesFile(join(path, 'rules.yaml'))
  expect(files).toEqual(new Map())
  await expect(readRulesFile(join(path, 'none.yaml'))).rejects.toMatchObject({
    code: 'SLUICE_RULES_SOURCE_FAILED',
  })
})

test('a path in a document that is not a file is an error', async () => {
  const path = await folder()
  await writeFile(join(path, 'rules.yaml'), document)
  await mkdir(join(path, 'b.txt'))
  await expect(readRulesFile(join(path, 'rules.yaml'))).rejects.toMatchObject({
    code: 'SLUICE_RULES_SOURCE_FAILED',
  })
})

test('files are beside the document that a symbolic link points to', async () => {
  const path = await folder()
  await mkdir(join(path, 'real'))
  await writeFile(join(path, 'real', 'rules.yaml'), document)
  await writeFile(join(path, 'real', 'b.txt'), 'real')
  await writeFile(join(path, 'b.txt'), 'beside the link')
  await symlink(join('real', 'rules.yaml'), join(path, 'rules.yaml'))
  const { files } = await readRulesFile(join(path, 'rules.yaml'))
  expect(files).toEqual(new Map([['b.txt', 'real']]))
})

test('the files of a text from another source are relative to the path', async () => {
  const path = await folder()
  await writeFile(join(path, 'b.txt'), 'b')
  const read = await readRulesFile(
    join(path, 'stdin.json'),
    '{ "lists": { "b": { "file": "b.txt" } } }',
  )
  expect(read.format).toBe('json')
  expect(read.files).toEqual(new Map([['b.txt', 'b']]))
})
