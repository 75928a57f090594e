import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('an import and a limiter load none of the modules of Node that take milliseconds', async () => {
  const loaded = await run(`
    const { createLimiter, fixedWindow } = await import('@sluice/core')
    const { byHeader, createGuard } = await import('@sluice/core/http')
    const policies = fixedWindow({ limit: 5, window: '1m' })
    createLimiter({ name: 'api', policies })
    createGuard({ policies, key: byHeader('x-api-key') })
    const slow = ['crypto', 'http', 'internal/crypto/webcrypto', 'net', 'process']
    const loaded = slow.filter((name) => process.moduleLoadList.includes('NativeModule ' + name))
    console.log(JSON.stringify(loaded))
  `)
  expect(loaded).toEqual([])
})

/** The edge runtime of Next.js throws when a program reads these. */
const throwing = `
  const fail = { get() { throw new Error('not supported in the Edge Runtime') } }
  const names = ['getBuiltinModule', 'emitWarning', 'nextTick', 'hrtime', 'env', 'versions']
  globalThis.process = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, fail])))
`

/** Workers throw while modules load. A timer is a number, and there is no \`setImmediate\`. */
const forbidden = `
  delete globalThis.process
  delete globalThis.setImmediate
  const real = { setTimeout, setInterval, getRandomValues: crypto.getRandomValues }
  let permitted = false
  const guarded = (name, call) => (...args) => {
    if (!permitted) throw new Error('Disallowed operation called within global scope: ' + name)
    return call(...args)
  }
  globalThis.setTimeout = guarded('setTimeout', (...args) => Number(real.setTimeout(...args)))
  globalThis.setInterval = guarded('setInterval', (...args) => Number(real.setInterval(...args)))
  crypto.getRandomValues = guarded('random', (words) => real.getRandomValues.call(crypto, words))
  Math.random = guarded('random', () => 0.5)
  globalThis.permit = () => (permitted = true)
`

test.each([
  ['without `process`', 'delete globalThis.process'],
  ['without a module in `process`', 'process.getBuiltinModule = () => undefined'],
  ['where the members of `process` throw', throwing],
  ['without timers and randomness before the first request', forbidden],
])('a guard decides %s', async (_, act) => {
  const outcomes = await run(`
    const write = process.stdout.write.bind(process.stdout)
    ${act}
    const { byHeader, createGuard } = await import('@sluice/core/http')
    const guard = createGuard({
      limit: 1,
      window: '1m',
      clock: () => 0,
      key: byHeader('x-api-key'),
      deny: ['192.0.2.9'],
      partitionKey: true,
      onDecision() {
        throw 'a listener that fails'
      },
    })
    const response = { statusCode: 200, once() {}, off() {}, end() {} }
    const check = (address) => guard.check(
      { raw: {}, address, peer: address, headers: { 'x-api-key': 'secret' }, url: '/', method: 'GET' },
      response,
      { getHeader: () => undefined },
    )
    globalThis.permit?.()
    const outcomes = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.9']) {
      const { type, status, body } = await check(address)
      outcomes.push([type, status, body === undefined ? undefined : JSON.parse(body).title])
    }
    write(JSON.stringify(outcomes))
  `)
  expect(outcomes).toEqual([
    ['continue', null, null],
    ['deny', 429, 'Request cannot be satisfied as assigned quota has been exceeded'],
    ['deny', 403, 'Forbidden'],
  ])
})

/** The value that a program in a new process writes as JSON. */
async function run(program: string): Promise<unknown> {
  const args = ['--input-type=module', '--eval', program]
  const options = { cwd: import.meta.dirname }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  return JSON.parse(stdout)
}
