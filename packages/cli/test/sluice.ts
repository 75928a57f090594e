import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { run } from '../src/program.js'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether the output is a terminal. */
  readonly isTTY?: boolean
}

/** Runs the command in this process. `process.test.ts` runs it as a process of its own. */
export async function sluice(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd = process.cwd(), input = '', env = {}, isTTY = false } = options
  let [stdout, stderr] = ['', '']
  const terminal = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: { isTTY, write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: { TERM: 'xterm', ...env },
    exitCode: 0,
  }
  const outer = process.cwd()
  process.chdir(cwd)
  try {
    await run(args, terminal)
  } finally {
    process.chdir(outer)
  }
  return { status: terminal.exitCode, stdout, stderr }
}

/** Makes a folder with files for one test. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  onTestFinished(async () => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** A document with all kinds of rules. Tests replace parts of it. */
export const shop = `version: 1
name: shop
values:
  user: string?
  plan: [free, pro]
  size: integer?
  isNew: boolean?
lists:
  bad: { kind: text, file: bad.txt }
schedules:
  night: { from: '22:00', to: '06:00', zone: UTC }
rules:
  - id: office
    when: { ip: 10.0.0.0/8 }
    then: allow
  - id: bad
    when: { user: { in: $bad } }
    then: deny
  - id: key
    when: { header.x-key: secret, cookie.session: abc }
    then: { challenge: { kind: captcha } }
  - id: new
    when: { isNew: true }
    then: { tag: new }
  - id: address
    key: ip
    limit: 300
    window: 1m
  - id: api
    when: { path: '/api/**' }
    key: { first: [user, ip] }
    limit: { by: plan, free: 60, pro: 600 }
    window: 1m
    algorithm: gcra
    overrides: { of: user, entries: { acme: 20000, internal: unlimited } }
  - id: upload
    when: { method: POST, path: '/api/files/:id' }
    key: [user, path]
    policy: { by: schedule, night: { kind: fixedWindow, limit: 9, window: 1h }, else: { kind: fixedWindow, limit: 2, window: 1h } }
    cost: $size
  - id: points
    when: { method: POST }
    key: { first: [user, ip] }
    limit: 1
    window: 1h
    over: { tag: no-points }
  - id: trial
    when: { path: '/api/**' }
    key: ip
    limit: 1
    window: 1h
    shadow: true
tests:
  - request: { path: /api/items, ip: 203.0.113.9, plan: pro }
    applies: [address, api, trial]
  - request: { user: mallory, plan: free }
    refuses: bad
`

export const shopFiles: Readonly<Record<string, string>> = {
  'rules.yaml': shop,
  'bad.txt': '# users\nmallory\ntrudy\n',
}
