import { writeFileSync } from 'node:fs'
import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fileSource } from '../../../src/loading/sources/file-source.js'
import {
  contentOf,
  type RulesContent,
  type RuleSource,
} from '../../../src/loading/sources/rule-source.js'
import { useFolders } from '../folder.js'

// The source waits for a tenth of a second before it trusts a file, so the tests run side by side.

const folder = useFolders()
const document = 'version: 1\nname: a\nlists:\n  bots: { kind: text, file: lists/bots.txt }\n'
const hourAgo = new Date(Date.now() - 3_600_000)

async function read(source: RuleSource, since?: string): Promise<RulesContent | undefined> {
  return source.read(since, new AbortController().signal)
}

function documentOf(version: string): string {
  return `version: 1\nname: v${version}\nlists:\n  all: { kind: text, file: list.txt }\n`
}

interface DocumentWithList {
  readonly path: string
  readonly list: string
}

/** A folder with a document and its list, both an hour old. */
async function documentWithList(): Promise<DocumentWithList> {
  const at = await folder()
  const path = join(at, 'rules.yaml')
  const list = join(at, 'lists', 'bots.txt')
  await mkdir(join(at, 'lists'))
  await writeOld(path, document)
  await writeOld(list, 'crawler\n')
  return { path, list }
}

/** A file whose times are old: the source then trusts them. */
async function writeOld(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await utimes(path, hourAgo, hourAgo)
}

/** Reads a document and its list, changes a file, and reads what is new. */
async function readAfter(
  change: (files: DocumentWithList) => Promise<void>,
): Promise<RulesContent | undefined> {
  const files = await documentWithList()
  const source = fileSource(files.path)
  const before = await read(source)
  await change(files)
  return read(source, before?.version)
}

test.concurrent('delivers the document with the files that it names, relative to it', async () => {
  const { path } = await documentWithList()
  const content = await read(fileSource(path))
  expect(content?.text).toBe(document)
  expect(content?.format).toBe('yaml')
  expect([...(content?.files ?? [])]).toEqual([['lists/bots.txt', 'crawler\n']])
})

test.concurrent('accepts the absolute path of a file', async () => {
  const path = join(await folder(), 'rules.yaml')
  const list = join(await folder(), 'bots.txt')
  await writeFile(list, 'crawler\n')
  await writeFile(path, document.replace('lists/bots.txt', list))
  expect([...((await read(fileSource(path)))?.files ?? [])]).toEqual([[list, 'crawler\n']])
})

test('a line that moves from one file to another changes the version', () => {
  const versionOf = (one: string, other: string): string =>
    contentOf({
      text: document,
      format: 'yaml',
      files: new Map([
        ['a', one],
        ['b', other],
      ]),
    }).version
  expect(versionOf('xb', '')).not.toBe(versionOf('x', 'b'))
  expect(versionOf('', 'b')).not.toBe(versionOf('b', ''))
})

test.concurrent('reads a file whose name ends in .json as JSON, and accepts a URL', async () => {
  const path = join(await folder(), 'Rules.JSON')
  await writeFile(path, '{}')
  expect((await read(fileSource(pathToFileURL(path))))?.format).toBe('json')
})

test.concurrent('a relative path is relative to the working directory, which the error names', async () => {
  const source = fileSource('absent.yaml')
  expect(source.location).toBe(join(process.cwd(), 'absent.yaml'))
  await expect(read(source)).rejects.toThrow(
    `the rules cannot be read from ${source.location}: there is no such file`,
  )
})

test.concurrent('delivers nothing while the files are unchanged', async () => {
  const { path } = await documentWithList()
  const source = fileSource(path)
  const content = await read(source)
  expect(await read(source, content?.version)).toBeUndefined()
})

test.concurrent('delivers the document again to a caller that knows another version', async () => {
  const { path } = await documentWithList()
  const source = fileSource(path)
  await read(source)
  expect((await read(source, 'another'))?.text).toBe(document)
})

test.concurrent('finds a list that changed without its document', async () => {
  const content = await readAfter(({ list }) => writeFile(list, 'spider\n'))
  expect(content?.files.get('lists/bots.txt')).toBe('spider\n')
})

test.concurrent('finds a change that keeps the size and the time of the file', async () => {
  const content = await readAfter(({ list }) => writeOld(list, 'CRAWLER\n'))
  expect(content?.files.get('lists/bots.txt')).toBe('CRAWLER\n')
})

test.concurrent('delivers nothing for a file that was written again with the same content', async () => {
  expect(await readAfter(({ path }) => writeFile(path, document))).toBeUndefined()
})

test.concurrent('refuses a document whose writer stopped inside a line, and reads it once it is complete', async () => {
  const { path } = await documentWithList()
  const source = fileSource(path)
  const before = await read(source)
  const longer = `${document}rules:\n  - { id: a, limit: 5, window: 1m }\n  - { id: b }\n`
  await writeFile(path, longer.slice(0, longer.indexOf('  - { id: b }') - 1))
  await expect(read(source, before?.version)).rejects.toThrow(
    `the rules cannot be read from ${path}: it does not end as before`,
  )
  await expect(read(source)).rejects.toThrow('it does not end as before')
  await writeFile(path, longer)
  expect((await read(source, before?.version))?.text).toBe(longer)
})

test.concurrent('refuses a list that lost its last line break, or all of its text', async () => {
  for (const text of ['crawler\nspi', '']) {
    const reading = readAfter(({ list }) => writeFile(list, text))
    await expect(reading).rejects.toThrow('from lists/bots.txt: it does not end as before')
  }
})

test.concurrent('refuses a document that lost its end mark, also if it was cut between two lines', async () => {
  const { path } = await documentWithList()
  await writeOld(path, `${document}...\n`)
  const source = fileSource(path)
  const before = await read(source)
  await writeFile(path, document)
  await expect(read(source, before?.version)).rejects.toThrow('it does not end as before')
})

test.concurrent('reads changes of a document and a list that never end with a line break', async () => {
  const { path, list } = await documentWithList()
  await writeOld(path, document.trimEnd())
  await writeOld(list, 'crawler')
  const source = fileSource(path)
  const before = await read(source)
  await writeFile(path, `# a change\n${document.trimEnd()}`)
  await writeFile(list, 'spider')
  const content = await read(source, before?.version)
  expect(content?.text).toContain('# a change')
  expect(content?.files.get('lists/bots.txt')).toBe('spider')
})

test.concurrent('follows the symbolic links of a ConfigMap, and reads its files of one version', async () => {
  const at = await folder()
  for (const version of ['1', '2']) {
    await mkdir(join(at, version))
    await writeFile(join(at, version, 'rules.yaml'), documentOf(version))
    await writeFile(join(at, version, 'list.txt'), version)
  }
  const swapTo = async (version: string): Promise<void> => {
    await symlink(version, join(at, '..data_tmp'))
    await rename(join(at, '..data_tmp'), join(at, '..data'))
  }
  await swapTo('1')
  await symlink('..data/rules.yaml', join(at, 'rules.yaml'))
  await symlink('..data/list.txt', join(at, 'list.txt'))
  const source = fileSource(join(at, 'rules.yaml'))
  const first = await read(source)
  expect(first?.files.get('list.txt')).toBe('1')

  await swapTo('2')
  await rm(join(at, '1'), { recursive: true })
  const second = await read(source, first?.version)
  expect([second?.text, second?.files.get('list.txt')]).toEqual([documentOf('2'), '2'])
})

test.concurrent('never mixes the versions of a ConfigMap that is swapped all the time', async () => {
  const at = await folder()
  let next = 0
  const swap = async (): Promise<void> => {
    next++
    const name = `..${next}`
    await mkdir(join(at, name))
    await writeFile(join(at, name, 'rules.yaml'), documentOf(`${next}`))
    await writeFile(join(at, name, 'list.txt'), `v${next}`)
    await symlink(name, join(at, '..data_tmp'))
    await rename(join(at, '..data_tmp'), join(at, '..data'))
    await rm(join(at, `..${next - 1}`), { recursive: true, force: true })
  }
  await swap()
  await symlink('..data/rules.yaml', join(at, 'rules.yaml'))
  const source = fileSource(join(at, 'rules.yaml'))
  const done = new AbortController()
  let pauseMs = 150
  const swapping = (async () => {
    while (!done.signal.aborted) {
      await swap()
      await sleep(pauseMs)
    }
  })()
  let since: string | undefined
  let contents = 0
  while (contents < 3) {
    const content = await read(source, since).catch(() => undefined)
    // A machine that is slow needs a longer time without a swap.
    if (content === undefined) pauseMs *= 1.1
    if (content === undefined) continue
    contents++
    since = content.version
    expect(content.text).toContain(`name: ${content.files.get('list.txt')}\n`)
  }
  done.abort()
  await swapping
})

test.concurrent('finds a list beside the symbolic link, if the document has none beside itself', async () => {
  const at = await folder()
  await mkdir(join(at, 'real'))
  await writeFile(join(at, 'real', 'rules.yaml'), documentOf('1'))
  await writeFile(join(at, 'list.txt'), 'beside the link')
  await symlink('real/rules.yaml', join(at, 'rules.yaml'))
  const content = await read(fileSource(join(at, 'rules.yaml')))
  expect(content?.files.get('list.txt')).toBe('beside the link')
})

test.concurrent('finds a file that was missing for a moment', async () => {
  const path = join(await folder(), 'rules.yaml')
  const reading = read(fileSource(path))
  // At once after the first attempt, without a turn of the event loop in which the last attempt could take place.
  await expect(stat(path)).rejects.toThrow()
  writeFileSync(path, 'version: 1\n')
  expect((await reading)?.text).toBe('version: 1\n')
})

test.concurrent('delivers a text that does not parse, without files', async () => {
  const path = join(await folder(), 'rules.yaml')
  await writeFile(path, 'name: [')
  const content = await read(fileSource(path))
  expect([content?.text, content?.files.size]).toEqual(['name: [', 0])
})

test.concurrent('delivers nothing of a file that is being written, and all of it afterwards', async () => {
  const { path } = await documentWithList()
  const source = fileSource(path)
  const before = await read(source)
  let written = ''
  const done = new AbortController()
  // Written synchronously by a timer that is due before the source looks again, however slow the machine is.
  const writer = setInterval(() => {
    written += '# a line\n'
    writeFileSync(path, written)
    if (written.length < 250) return
    clearInterval(writer)
    done.abort()
  }, 20)
  const seen: (string | undefined)[] = []
  while (!done.signal.aborted) {
    const content = await read(source, before?.version)
    if (!done.signal.aborted) seen.push(content?.text)
  }
  expect(seen.filter((text) => text !== undefined)).toEqual([])
  expect((await read(source, before?.version))?.text).toBe(written)
})

test.concurrent.each([
  ['is missing', async () => {}, 'there is no such file'],
  ['is a folder', (path: string) => mkdir(path), 'it is not a file'],
  [
    'is not UTF-8',
    (path: string) => writeFile(path, Uint8Array.of(0x6e, 0xff, 0x0a)),
    'it is not UTF-8',
  ],
  [
    'names a file that is missing',
    (path: string) => writeFile(path, documentOf('1')),
    'there is no such file',
  ],
])('rejects for a document that %s', async (_case, prepare, reason) => {
  const path = join(await folder(), 'rules.yaml')
  await prepare(path)
  await expect(read(fileSource(path))).rejects.toMatchObject({
    code: 'SLUICE_RULES_SOURCE_FAILED',
    message: expect.stringContaining(reason),
  })
})

test.each([[0], ['2'], [-1], [Number.NaN]])('refuses every: %j', (every) => {
  expect(() => fileSource('rules.yaml', { every })).toThrow(/fileSource: "every" is/)
})
