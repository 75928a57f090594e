import { expect, test } from 'vitest'
import { pollSource } from '../../../src/loading/sources/poll-source.js'
import { staticSource } from '../../../src/loading/sources/static-source.js'
import type { RulesContent, RuleSource } from '../../../src/loading/sources/rule-source.js'

async function read(source: RuleSource, since?: string): Promise<RulesContent | undefined> {
  return source.read(since, new AbortController().signal)
}

test('delivers the text of the function, and nothing while it is the same', async () => {
  let text = 'a'
  const source = pollSource(async () => text)
  const first = await read(source)
  expect([first?.text, first?.format, first?.files.size]).toEqual(['a', 'yaml', 0])
  expect(await read(source, first?.version)).toBeUndefined()
  text = 'b'
  expect((await read(source, first?.version))?.text).toBe('b')
})

test('delivers files beside the text, and finds a file that changed', async () => {
  let list = 'x'
  const source = pollSource(() => ({ text: 'a', files: { 'list.txt': list } }))
  const first = await read(source)
  expect([...(first?.files ?? [])]).toEqual([['list.txt', 'x']])
  list = 'y'
  expect((await read(source, first?.version))?.files.get('list.txt')).toBe('y')
})

test('passes the signal of the read to the function', async () => {
  const { signal } = new AbortController()
  let passed: AbortSignal | undefined
  const source = pollSource((given) => {
    passed = given
    return 'a'
  })
  await source.read(undefined, signal)
  expect(passed).toBe(signal)
})

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [42, '42'],
  [{ version: 1, name: 'a' }, 'an object with "version", "name"'],
  [Buffer.from('name: a'), 'bytes'],
  [{ text: 'a', files: { b: 1 } }, 'an object with "text", "files"'],
])('rejects if the function returns %j, and describes that value', async (returned, what) => {
  const source = pollSource(async () => returned as unknown as string)
  await expect(read(source)).rejects.toMatchObject({
    code: 'SLUICE_RULES_SOURCE_FAILED',
    message: `the rules cannot be read from pollSource: its function returned ${what}. Return a text, or { text, files } of texts`,
  })
})

test('polls every 30 seconds by default, and pauses at most five minutes', () => {
  expect(pollSource(() => '')).toMatchObject({ every: 30_000, maxPauseMs: 300_000 })
  expect(pollSource(() => '', { every: '1h' })).toMatchObject({
    every: 3_600_000,
    maxPauseMs: 3_600_000,
  })
})

test('a static source delivers a text or an object once', async () => {
  const document = { version: 1, name: 'a', rules: [] } as const
  const source = staticSource(document)
  const content = await read(source)
  expect([content?.format, JSON.parse(content?.text ?? '')]).toEqual(['json', document])
  expect([source.every, await read(source, content?.version)]).toEqual([0, undefined])
  expect((await read(staticSource('name: a')))?.format).toBe('yaml')
})
