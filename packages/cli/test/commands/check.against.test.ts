import { expect, test } from 'vitest'
import { folderWith, shop, shopFiles, sluice } from '../sluice.js'

const next = shop
  .replace('free: 60', 'free: 80')
  .replace('algorithm: gcra', 'algorithm: fixedWindow')
  .replace('    limit: 300', '    limit: 400')
  .replace('- id: points', '- id: scores')

test('--against lists the changes, and the counts that start again', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'rules.yaml': next,
    'old/rules.yaml': shop,
    'old/bad.txt': 'mallory\n',
  })
  const args = ['check', 'rules.yaml', '--against', 'old/rules.yaml']
  const { status, stdout, stderr } = await sluice(args, { cwd })
  expect(stdout.split('\n').slice(1)).toEqual([
    'rules.yaml: 9 rules, 2 of 2 tests pass',
    'Against old/rules.yaml:',
    '  added    scores',
    '  changed  address: limit 300 → 400',
    '  afresh   api: limit.free 60 → 80, algorithm gcra → fixedWindow (its counts start again)',
    '  removed  points',
    '0 errors, 1 warning',
    '',
  ])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('--against shows another order of the rules', async () => {
  const limit = '  - { id: login, when: { path: /login }, limit: 5, window: 1m }\n'
  const allow = '  - { id: office, when: { ip: 10.0.0.0/8 }, then: allow }\n'
  const head = 'version: 1\nname: o\nrules:\n'
  const cwd = await folderWith({
    'old.yaml': head + limit + allow,
    'new.yaml': head + allow + limit,
  })
  const { stdout } = await sluice(['check', 'new.yaml', '--against', 'old.yaml'], { cwd })
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    'Against old.yaml:',
    '  changed  order: ["login","office"] → ["office","login"]',
  ])
})

test('equal documents have no differences', async () => {
  const cwd = await folderWith(shopFiles)
  const args = ['check', 'rules.yaml', '--against', '-']
  const { stdout } = await sluice(args, { cwd, input: `# the same\n${shop}` })
  expect(stdout).toContain('\nNo rule differs from stdin.\n')
})

test('the standard input can be both documents', async () => {
  const cwd = await folderWith({ 'bad.txt': 'mallory\n' })
  const { stdout } = await sluice(['check', '-', '--against', '-'], { cwd, input: shop })
  expect(stdout).toContain('\nNo rule differs from stdin.\n')
})

test('another name is a warning, because all counts start again', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'old.yaml': shop.replace('name: shop', 'name: store'),
  })
  const { stdout, status } = await sluice(
    ['check', 'rules.yaml', '--against', 'old.yaml', '--strict'],
    { cwd },
  )
  expect(stdout).toMatch(/^rules\.yaml:2:1 {2}warning {2}SLUICE_RULES_NAME_CHANGED {2}/)
  expect(status).toBe(2)
})

test('an old document whose tests fail can be compared', async () => {
  const cwd = await folderWith({
    ...shopFiles,
    'old.yaml': shop.replace('refuses: bad', 'refuses: key'),
  })
  const { status, stdout } = await sluice(['check', 'rules.yaml', '--against', 'old.yaml'], { cwd })
  expect(stdout).toContain('No rule differs from old.yaml.')
  expect(status).toBe(0)
})

test('an old document with mistakes cannot be compared', async () => {
  const cwd = await folderWith({ ...shopFiles, 'old.yaml': 'version: 2\n' })
  const { status, stdout, stderr } = await sluice(
    ['check', 'rules.yaml', '--against', 'old.yaml'],
    { cwd },
  )
  expect(stderr).toMatch(/^old\.yaml:1:\d+ {2}error /)
  expect(stderr).toContain('error: --against needs a document without mistakes\n')
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})

test('--against compares one document', async () => {
  const cwd = await folderWith(shopFiles)
  const { status, stderr } = await sluice(
    ['check', 'rules.yaml', 'rules.yaml', '--against', 'rules.yaml'],
    { cwd },
  )
  expect(stderr).toBe('error: --against compares one document, and several are given\n')
  expect(status).toBe(1)
})

test('counts that start again are notices for GitHub', async () => {
  const cwd = await folderWith({ ...shopFiles, 'rules.yaml': next, 'old.yaml': shop })
  const args = ['check', 'rules.yaml', '--against', 'old.yaml', '--format', 'github']
  const { stdout } = await sluice(args, { cwd })
  expect(stdout.split('\n')[1]).toBe(
    '::notice file=rules.yaml::The counts of "api" start again: limit.free 60 → 80, algorithm gcra → fixedWindow',
  )
})
