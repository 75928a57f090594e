import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rulesErrorFrom } from '../../src/errors.js'
import {
  createFailures,
  createRuleLoader,
  type Compile,
  type RuleLoader,
} from '../../src/loading/rule-loader.js'
import { createKeeper } from '../../src/loading/keep.js'
import type { RulesEvent } from '../../src/loading/events.js'
import { contentOf, type RuleSource } from '../../src/loading/sources/rule-source.js'
import { compileLines } from './compile-lines.js'
import { useFolders } from './folder.js'
import { memorySource } from './memory-source.js'

const folder = useFolders()
const events: RulesEvent[] = []
const hear = (event: unknown): void => {
  events.push(event as RulesEvent)
}
const open: RuleLoader[] = []

beforeEach(() => {
  subscribe('sluice:rules', hear)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  unsubscribe('sluice:rules', hear)
  events.length = 0
  for (const loader of open.splice(0)) loader.close()
  vi.useRealTimers()
})

async function load(
  source: RuleSource,
  keep?: string,
  compile: Compile = compileLines(),
): Promise<RuleLoader> {
  const keeper = keep === undefined ? undefined : createKeeper(keep)
  const loader = await createRuleLoader(source, compile, keeper)
  open.push(loader)
  return loader
}

/** The states that were published, with the version that judged then. */
function told(): unknown[] {
  return events.map(({ state, version, error }) => [state, version, error?.code])
}

const one = 'name: a; rules: x y'
const two = 'name: a; rules: y z'
const failed = 'SLUICE_RULES_SOURCE_FAILED'

test('publishes the added, changed and removed rules of a new document', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  source.text = two
  await vi.advanceTimersByTimeAsync(1000)
  expect(loader.current.version).toBe(two)
  expect(events.map(({ changes }) => changes)).toEqual([
    { added: ['x', 'y'], changed: [], removed: [] },
    { added: ['z'], changed: [], removed: ['x'] },
  ])
  expect(events[1]).toMatchObject({ name: 'a', state: 'loaded', version: two, error: undefined })
})

test('keeps the rules when a document is invalid, compiles the document once, and publishes the error once', async () => {
  const source = memorySource(one)
  const compile = compileLines()
  const loader = await load(source, undefined, compile)
  source.text = 'nonsense'
  await vi.advanceTimersByTimeAsync(10_000)
  expect(loader.current.version).toBe(one)
  expect(compile.compiled).toEqual([one, 'nonsense'])
  expect(told()).toEqual([
    ['loaded', one, undefined],
    ['rejected', one, 'SLUICE_RULES_COMPILE_FAILED'],
  ])
  expect(loader.state().stale?.message).toBe(
    'the document cannot be compiled: this is no document: nonsense',
  )
})

test('gives the latest reason why the rules are stale', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  const codes: unknown[] = []
  for (const text of ['nonsense', undefined, 'nonsense', one, undefined, one]) {
    source.text = text
    await vi.advanceTimersByTimeAsync(5000)
    codes.push(loader.state().stale?.code)
  }
  const rejected = 'SLUICE_RULES_COMPILE_FAILED'
  expect(codes).toEqual([rejected, failed, rejected, undefined, failed, undefined])
})

test('publishes each distinct mistake once, and the recovery', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  for (const text of ['b', 'c', 'b', one, 'b']) {
    source.text = text
    await vi.advanceTimersByTimeAsync(1000)
  }
  const rejected = 'SLUICE_RULES_COMPILE_FAILED'
  expect(told()).toEqual([
    ['loaded', one, undefined],
    ['rejected', one, rejected],
    ['rejected', one, rejected],
    ['loaded', one, undefined],
    ['rejected', one, rejected],
  ])
  expect(loader.current.version).toBe(one)
})

test.each([
  ['with', () => {}],
  ['without', () => void unsubscribe('sluice:rules', hear)],
])(
  '%s a subscriber, warns once of each failure of the source and of each invalid document',
  async (_, prepare) => {
    prepare()
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const source = memorySource(one)
    const loader = await load(source)
    for (const text of ['nonsense', undefined, 'nonsense', one, 'nonsense']) {
      source.text = text
      await vi.advanceTimersByTimeAsync(5000)
    }
    expect(loader.current.version).toBe(one)
    const warnings = warn.mock.calls.map(([warning]) => warning)
    warn.mockRestore()
    expect(warnings).toMatchObject([
      { code: 'SLUICE_RULES_STALE', cause: { code: 'SLUICE_RULES_COMPILE_FAILED' } },
      { code: 'SLUICE_RULES_STALE', cause: { code: failed } },
      { code: 'SLUICE_RULES_STALE', cause: { code: 'SLUICE_RULES_COMPILE_FAILED' } },
    ])
    expect(warnings[0]).toHaveProperty(
      'message',
      'rules "a": the last valid document still applies, because the source delivers no valid one: the document cannot be compiled: this is no document: nonsense',
    )
  },
)

test('warns of nothing if the first document is invalid, because the load rejects', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await expect(load(memorySource('nonsense'))).rejects.toThrow('this is no document')
  await expect(load(memorySource())).rejects.toMatchObject({ code: failed })
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test('warns at a start with the kept document', async () => {
  const keep = join(await folder(), 'rules.good')
  ;(await load(memorySource(one), keep)).close()
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await load(memorySource(), keep)
  await vi.advanceTimersByTimeAsync(5000)
  expect(warn.mock.calls.map(([warning]) => warning)).toMatchObject([
    { code: 'SLUICE_RULES_STALE', cause: { code: failed } },
  ])
  warn.mockRestore()
})

test('refuses a document of another name', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  source.text = 'name: b; rules: x'
  await expect(loader.reload()).rejects.toMatchObject({ code: 'SLUICE_RULES_NAME_CHANGED' })
  expect(loader.current.name).toBe('a')
  expect(loader.state().stale?.code).toBe('SLUICE_RULES_NAME_CHANGED')
})

test.each([['an empty'], ['a blank']])(
  'keeps the rules when the source delivers %s text',
  async (kind) => {
    const source = memorySource(one)
    const loader = await load(source)
    source.text = kind === 'an empty' ? '' : ' \n\t\n'
    await vi.advanceTimersByTimeAsync(3000)
    expect(loader.current.version).toBe(one)
    expect(told()).toEqual([
      ['loaded', one, undefined],
      ['source-failed', one, failed],
    ])
    expect(loader.state().stale?.message).toBe('the rules cannot be read from memory: it is empty')
  },
)

test('keeps the rules while the source fails, publishes the failure once, and is not stale afterwards', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  source.text = undefined
  await vi.advanceTimersByTimeAsync(5000)
  expect(loader.state().stale).toMatchObject({ code: failed })
  expect(told()).toEqual([
    ['loaded', one, undefined],
    ['source-failed', one, failed],
  ])
  source.text = one
  await vi.advanceTimersByTimeAsync(1000)
  expect(loader.state().stale).toBeUndefined()
  source.text = undefined
  await vi.advanceTimersByTimeAsync(1000)
  expect(told()).toHaveLength(3)
})

test('remains stale after a failure of the source while its document is invalid', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  for (const text of ['nonsense', undefined, 'nonsense']) {
    source.text = text
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(loader.state().stale?.code).toBe('SLUICE_RULES_COMPILE_FAILED')
})

test.each([
  ['cannot be read', undefined, failed],
  ['is empty', '', failed],
  ['is invalid', 'nonsense', 'SLUICE_RULES_COMPILE_FAILED'],
])('rejects if the first document %s', async (_case, text, code) => {
  await expect(load(memorySource(text))).rejects.toMatchObject({ code })
  expect(vi.getTimerCount()).toBe(0)
})

test('rejects if a source delivers nothing at the first read', async () => {
  const source = memorySource(one, { read: async () => undefined })
  await expect(load(source)).rejects.toThrow('it delivered no document')
})

test('starts with the kept document if the source cannot be read, and follows the source later', async () => {
  const keep = join(await folder(), 'rules.good')
  ;(await load(memorySource(one), keep)).close()
  const source = memorySource()
  const loader = await load(source, keep)
  expect(loader.current.version).toBe(one)
  expect(loader.state()).toMatchObject({ from: 'keep', stale: { code: failed } })
  source.text = two
  await vi.advanceTimersByTimeAsync(1000)
  await vi.waitFor(() => expect(loader.state()).toMatchObject({ from: 'source', version: two }))
  await vi.waitFor(async () => expect(await readFile(keep, 'utf8')).toContain(two))
  expect(loader.state().stale).toBeUndefined()
})

test('rejects an invalid first document, even with a kept document', async () => {
  const keep = join(await folder(), 'rules.good')
  ;(await load(memorySource(one), keep)).close()
  await expect(load(memorySource('nonsense'), keep)).rejects.toThrow('this is no document')
})

test('rejects with the failure of the source if nothing was kept', async () => {
  const keep = join(await folder(), 'rules.good')
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await expect(load(memorySource(), keep)).rejects.toMatchObject({ code: failed })
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test('keeps only valid documents', async () => {
  const at = await folder()
  const keep = join(at, 'rules.good')
  const source = memorySource(one)
  const loader = await load(source, keep)
  source.text = 'nonsense'
  await expect(loader.reload()).rejects.toThrow('this is no document')
  expect(JSON.parse(await readFile(keep, 'utf8'))).toMatchObject({ text: one })
  expect(await readdir(at)).toEqual(['rules.good'])
})

test('writes an unchanged document once', async () => {
  const keep = join(await folder(), 'rules.good')
  const loader = await load(memorySource(one), keep)
  const { ino } = await stat(keep)
  await loader.reload()
  expect((await stat(keep)).ino).toBe(ino)
})

test.each([
  ['cut off', (json: string) => json.slice(0, -10)],
  ['edited', (json: string) => json.replace('x y', 'x')],
])('uses no kept document that was %s, and warns of it', async (_case, damage) => {
  const keep = join(await folder(), 'rules.good')
  ;(await load(memorySource(one), keep)).close()
  await writeFile(keep, damage(await readFile(keep, 'utf8')))
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await expect(load(memorySource(), keep)).rejects.toMatchObject({ code: failed })
  expect(warn.mock.calls.map(([warning]) => warning)).toMatchObject([
    { code: 'SLUICE_RULES_KEEP_FAILED' },
  ])
  warn.mockRestore()
})

test('rejects with the failure of the source if the kept document can no longer be compiled', async () => {
  const keep = join(await folder(), 'rules.good')
  await createKeeper(keep).write(contentOf({ text: 'old', format: 'yaml', files: new Map() }))
  await expect(load(memorySource(), keep)).rejects.toMatchObject({ code: failed })
})

test('leaves no file behind if a document cannot be kept', async () => {
  const at = await folder()
  await mkdir(join(at, 'rules.good'))
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await createKeeper(join(at, 'rules.good')).write(
    contentOf({ text: one, format: 'yaml', files: new Map() }),
  )
  expect(warn).toHaveBeenCalledOnce()
  expect(await readdir(at)).toEqual(['rules.good'])
  warn.mockRestore()
})

test('publishes at most 100 distinct failures', () => {
  const told: string[] = []
  const failures = createFailures(({ message }) => told.push(message))
  for (let i = 0; i < 101; i++)
    failures.add(rulesErrorFrom(undefined, 'SLUICE_RULES_SOURCE_FAILED', `${i}`, ''))
  expect(told).toHaveLength(100)
})

test('loads the rules although they cannot be kept, and warns of it', async () => {
  const keep = join(await folder(), 'absent', 'rules.good')
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const loader = await load(memorySource(one), keep)
  expect(loader.current.version).toBe(one)
  expect(warn.mock.calls.map(([warning]) => warning)).toMatchObject([
    { code: 'SLUICE_RULES_KEEP_FAILED' },
  ])
  warn.mockRestore()
})

test('uses a document of the application until the source changes', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  await loader.replace({ text: two, format: 'yaml', files: new Map() })
  await vi.advanceTimersByTimeAsync(5000)
  expect(loader.state()).toMatchObject({ from: 'replace', version: two })
  source.text = 'name: a; rules: z'
  await vi.advanceTimersByTimeAsync(1000)
  expect(loader.state()).toMatchObject({ from: 'source', version: 'name: a; rules: z' })
})

test('reload replaces a document of the application by that of the source', async () => {
  const loader = await load(memorySource(one))
  await loader.replace({ text: two, format: 'yaml', files: new Map() })
  await loader.reload()
  expect(loader.state()).toMatchObject({ from: 'source', version: one })
})

test('refuses an invalid document of the application, and keeps its rules', async () => {
  const loader = await load(memorySource(one))
  const replaced = loader.replace({ text: 'nonsense', format: 'yaml', files: new Map() })
  await expect(replaced).rejects.toMatchObject({ code: 'SLUICE_RULES_COMPILE_FAILED' })
  expect(loader.state()).toMatchObject({ from: 'source', version: one, stale: undefined })
})

test('a rule continues with its counters, and a removed rule loses them', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  const counters = loader.current.stats.get('y')
  source.text = two
  await loader.reload()
  expect(loader.current.stats.get('y')).toBe(counters)
  expect([...loader.current.stats.keys()]).toEqual(['y', 'z'])
})

test('reads nothing after it is closed, and continues to judge', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  loader.close()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([source.reads, loader.current.version]).toEqual([1, one])
  await expect(loader.reload()).rejects.toThrow('the rules are closed')
})

test('ignores a read that ends after the rules are closed', async () => {
  const source = memorySource(one)
  const loader = await load(source)
  source.text = two
  const reloading = loader.reload()
  loader.close()
  await expect(reloading).rejects.toThrow(/closed/)
  expect(loader.current.version).toBe(one)
})
