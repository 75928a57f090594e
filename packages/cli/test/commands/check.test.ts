import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, shop, shopFiles, sluice } from '../sluice.js'

test('a document without mistakes is clean', async () => {
  const cwd = await folderWith(shopFiles)
  expect(await sluice(['check', 'rules.yaml'], { cwd })).toEqual({
    status: 0,
    stdout: `${unboundedKey}rules.yaml: 9 rules, 2 of 2 tests pass\n0 errors, 1 warning\n`,
    stderr: '',
  })
})

/** The key of `upload` contains the path. */
const unboundedKey =
  'rules.yaml:38:5  warning  SLUICE_RULES_KEY_UNBOUNDED  rule "upload": with "path" in the key, each path has its own count, and clients choose the path. ' +
  'Use a parameter such as "param.id", or "route", which is absent before the router of Express or Koa.\n'

/** Each replaces a part of the document, and its place is that of a text in the result. */
const mistakes: readonly {
  readonly name: string
  readonly find: string
  readonly replace: string
  readonly at: string
  readonly code: string
}[] = [
  {
    name: 'a misspelled value',
    find: 'by: plan,',
    replace: 'by: plann,',
    at: 'by: plann',
    code: 'FIELD_UNKNOWN',
  },
  {
    name: 'an unknown option',
    find: 'then: allow',
    replace: 'than: allow',
    at: 'than: allow',
    code: 'OPTION_UNKNOWN',
  },
  {
    name: 'a list that is not declared',
    find: 'in: $bad',
    replace: 'in: $bat',
    at: 'in: $bat',
    code: 'LIST_UNKNOWN',
  },
  {
    name: 'a list file that is missing',
    find: 'file: bad.txt',
    replace: 'file: no.txt',
    at: 'file: no.txt',
    code: 'FILE_MISSING',
  },
  {
    name: 'a wrong type',
    find: 'limit: 300',
    replace: 'limit: many',
    at: 'limit: many',
    code: 'OPTION_INVALID',
  },
  {
    name: 'an id that is taken',
    find: 'id: points',
    replace: 'id:   new',
    at: 'id:   new',
    code: 'ID_TAKEN',
  },
  {
    name: 'a policy that no builder takes',
    find: 'limit: 9, window: 1h',
    replace: 'limit: 9',
    at: 'night: { kind',
    code: 'POLICY',
  },
  {
    name: 'a pattern that is none',
    find: "path: '/api/**'",
    replace: "path: 'api/**'",
    at: "path: 'api/**'",
    code: 'PATTERN',
  },
  {
    name: 'a choice without all values',
    find: 'free: 60, ',
    replace: '',
    at: 'limit: { by: plan',
    code: 'VARIANT_MISSING',
  },
  {
    name: 'a time that is none',
    find: "to: '06:00'",
    replace: "to: '26:00'",
    at: "to: '26:00'",
    code: 'OPTION_INVALID',
  },
  { name: 'no YAML', find: 'name: shop', replace: 'name: }', at: '}', code: 'SYNTAX' },
  {
    name: 'an override that does not fit',
    find: 'acme: 20000',
    replace: "'a*c': 1",
    at: "'a*c'",
    code: 'OVERRIDE',
  },
  {
    name: 'a test that fails',
    find: 'refuses: bad',
    replace: 'refuses: key',
    at: 'request: { user: mallory',
    code: 'TEST_FAILED',
  },
]

test.each(mistakes)('the position of $name is printed', async ({ find, replace, at, code }) => {
  const rules = shop.replace(find, () => replace)
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules })
  const { status, stdout } = await sluice(['check', 'rules.yaml'], { cwd })
  const errors = stdout.split('\n').filter((line) => line.includes('  error  '))
  expect(errors.map((line) => line.split('  ').slice(0, 3))).toEqual([
    [`rules.yaml:${placeOf(at, rules)}`, 'error', `SLUICE_RULES_${code}`],
  ])
  expect(status).toBe(1)
})

function placeOf(text: string, rules: string): string {
  const before = rules.slice(0, rules.indexOf(text)).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

test('an error about a misspelled word suggests the known one', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'rules.yaml': shop.replace('by: plan,', 'by: plann,'),
  })
  const { stdout } = await sluice(['check', 'rules.yaml'], { cwd })
  expect(stdout).toContain('Did you mean "plan"?\n')
})

test('a mistake in a list file has the position in that file', async () => {
  const rules = shop.replace(
    '{ kind: text, file: bad.txt }',
    '{ kind: address, file: lists/bad.txt }',
  )
  const cwd = await folderWith({
    'conf/rules.yaml': rules.replace('user: { in: $bad }', 'ip: { in: $bad }'),
    'conf/lists/bad.txt': '# addresses\n203.0.113.9\nmallory\n',
  })
  const { status, stdout } = await sluice(['check', 'conf/rules.yaml'], { cwd })
  expect(stdout).toMatch(/^conf\/lists\/bad\.txt:3:1 {2}error {2}SLUICE_RULES_LIST_ENTRY {2}/)
  expect(status).toBe(1)
})

test('warnings fail a check only with --strict', async () => {
  const cwd = await folderWith(shopFiles)
  expect((await sluice(['check', 'rules.yaml'], { cwd })).status).toBe(0)
  expect((await sluice(['check', 'rules.yaml', '--strict'], { cwd })).status).toBe(2)
})

test('with errors and warnings, --strict exits with 1', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'rules.yaml': shop.replace('refuses: bad', 'refuses: key'),
  })
  const { status, stdout } = await sluice(['check', 'rules.yaml', '--strict'], { cwd })
  expect(status).toBe(1)
  expect(stdout).toContain('\nrules.yaml: 9 rules, 1 of 2 tests pass\n1 error, 1 warning\n')
})

test('a document without warnings is clean with --strict', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'rules.yaml': shop.replace('[user, path]', '[user, param.id]'),
  })
  const { status, stdout } = await sluice(['check', 'rules.yaml', '--strict'], { cwd })
  expect(stdout).toBe('rules.yaml: 9 rules, 2 of 2 tests pass\n0 errors, 0 warnings\n')
  expect(status).toBe(0)
})

test('a file that cannot be read is an error, and the others are checked', async () => {
  const cwd = await folderWith(shopFiles)
  const { status, stdout } = await sluice(['check', 'none.yaml', '.', 'rules.yaml'], { cwd })
  const [first, second] = stdout.split('\n')
  expect(first).toBe(
    'none.yaml  error  SLUICE_RULES_SOURCE_FAILED  the rules cannot be read from none.yaml: there is no such file',
  )
  expect(second).toBe(
    '.  error  SLUICE_RULES_SOURCE_FAILED  the rules cannot be read from .: it is not a file',
  )
  expect(stdout).toContain('\nrules.yaml: 9 rules, 2 of 2 tests pass\n2 errors, 1 warning\n')
  expect(status).toBe(1)
})

test('"-" is the standard input, and its files are in the current folder', async () => {
  const cwd = await folderWith({ 'bad.txt': 'mallory\n' })
  const { status, stdout } = await sluice(['check', '-'], { cwd, input: shop })
  expect(stdout).toContain('\nstdin: 9 rules, 2 of 2 tests pass\n')
  expect(status).toBe(0)
  const wrong = await sluice(['check', '-'], { cwd, input: shop.replace('plan,', 'plann,') })
  expect(wrong.stdout).toMatch(/^stdin:32:14 {2}error /)
})

test('a file that cannot be read is an annotation without a position', async () => {
  const cwd = await folderWith({})
  const { stdout } = await sluice(['check', 'none.yaml', '--format', 'github'], { cwd })
  expect(stdout).toBe(
    '::error file=none.yaml,title=SLUICE_RULES_SOURCE_FAILED::the rules cannot be read from none.yaml: there is no such file\n',
  )
})

test('JSON is checked by the name of its file', async () => {
  const cwd = await folderWith({ 'rules.json': '{\n  "version": 1,\n  "name": "a",\n}' })
  const { status, stdout } = await sluice(['check', 'rules.json'], { cwd })
  expect(stdout).toMatch(/^rules\.json:4:1 {2}error {2}SLUICE_RULES_SYNTAX {2}this is not JSON: /)
  expect(status).toBe(1)
})

test('the files of a document behind a symbolic link are found', async () => {
  const cwd = await folderWith({ 'real/rules.yaml': shop, 'real/bad.txt': 'mallory\n' })
  const { symlink } = await import('node:fs/promises')
  await symlink(join('real', 'rules.yaml'), join(cwd, 'rules.yaml'))
  expect((await sluice(['check', 'rules.yaml'], { cwd })).status).toBe(0)
})

test('--format json has everything that the text has', async () => {
  const rules = shop.replace('refuses: bad', 'refuses: key')
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules, 'old.yaml': shop })
  const args = ['check', 'rules.yaml', '--against', 'old.yaml', '--format', 'json']
  const { status, stdout } = await sluice(args, { cwd })
  const { errors, warnings, files } = JSON.parse(stdout)
  expect({ errors, warnings, status }).toEqual({ errors: 1, warnings: 1, status: 1 })
  const [{ findings, tests, comparison, ...file }] = files
  expect(file).toMatchObject({ file: 'rules.yaml', name: 'shop', rules: 9 })
  expect(findings).toMatchObject([
    {
      file: 'rules.yaml',
      line: 38,
      column: 5,
      severity: 'warning',
      code: 'SLUICE_RULES_KEY_UNBOUNDED',
    },
    {
      file: 'rules.yaml',
      line: 56,
      column: 5,
      severity: 'error',
      code: 'SLUICE_RULES_TEST_FAILED',
      message: 'test 2 fails: expected "refuses" key, got bad.',
    },
  ])
  expect(tests.map(({ passed }: { passed: boolean }) => passed)).toEqual([true, false])
  expect(comparison).toEqual({
    added: [],
    removed: [],
    changed: [],
    afresh: [],
    declarations: [],
  })
})

test('--format github makes an annotation of each finding', async () => {
  const rules = shop.replace('by: plan,', 'by: plann,')
  const cwd = await folderWith({ 'a,b:c.yaml': rules, 'bad.txt': '' })
  const { status, stdout } = await sluice(['check', 'a,b:c.yaml', '--format', 'github'], { cwd })
  expect(stdout).toBe(
    '::error file=a%2Cb%3Ac.yaml,line=32,col=14,title=SLUICE_RULES_FIELD_UNKNOWN::' +
      'there is no field or value "plann". Known: "user", "plan", "size", "isNew", "schedule". Did you mean "plan"?\n',
  )
  expect(status).toBe(1)
})

test('a text of the document cannot end an annotation', async () => {
  const rules = shop.replace('by: plan,', 'by: "a%0A::error::b\\n::error::c",')
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': rules })
  const { stdout } = await sluice(['check', 'rules.yaml', '--format', 'github'], { cwd })
  expect(stdout.split('\n')).toHaveLength(2)
  expect(stdout).toContain('a%250A::error::b')
})
