import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadRules, pollSource } from '../../src/index.js'
import { useFolders } from './folder.js'

const folder = useFolders()

/** A document that ends with the mark of its end. */
function documentOf(limit: number): string {
  const rules = Array.from(
    { length: 8 },
    (_, i) => `  - { id: r${i}, limit: ${limit}, window: 1m }`,
  )
  return ['version: 1', 'name: api', 'rules:', ...rules, '...', ''].join('\n')
}

function start(program: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(program, import.meta.url))
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

test('loaded rules do not keep the process alive', async () => {
  const path = join(await folder(), 'rules.yaml')
  writeFileSync(path, documentOf(100))
  const program = `import { fileSource, loadRules } from '@sluice/rules'
    await loadRules({ source: fileSource(${JSON.stringify(path)}) })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: 'inherit',
  })
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the kept document is complete, whenever its process is killed', async () => {
  const keep = join(await folder(), 'rules.good')
  const known = [100, 200]
  for (let i = 0; i < 6; i++) {
    const keeper = start('keeper.mjs', [keep, documentOf(100), documentOf(200)])
    await once(keeper.stdout ?? keeper, 'data')
    await sleep(20 + 15 * i)
    await kill(keeper)
    const away = pollSource(() => Promise.reject(new Error('away')))
    const rules = await loadRules({ source: away, keep })
    expect(rules.state().from).toBe('keep')
    expect(known).toContain(rules.current.document.rules[0].limit)
    rules.close()
  }
})
