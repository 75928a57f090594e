import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { simulate, type Report, type RulesVariant } from '../../../src/simulate/index.js'
import { start } from '../logs.js'

function rules(name: string, ...texts: readonly string[]): RulesVariant {
  const list = texts.map((text) => `  - { ${text}, window: 1m }\n`).join('')
  return {
    rules: {
      text: `version: 1\nname: ${name}\nvalues: { user: string? }\nrules:\n${list}`,
      format: 'yaml',
      files: new Map(),
    },
  }
}

/** Six requests of two users at one address, the first and the last of which are of alice. */
function log(): Readable {
  const lines = ['alice', 'bob', 'bob', 'alice', 'bob', 'alice'].map((user, i) => {
    const line = { time: start + 1 + i * 100, ip: '192.0.2.1', user, url: `/${user}` }
    return `${JSON.stringify({ ...line, method: 'GET', status: 200 })}\n`
  })
  return Readable.from([Buffer.from(lines.join(''))])
}

const byIp = rules('by-ip', 'id: address, key: ip, limit: 5')
const byUser = rules('by-user', 'id: name, key: user, limit: 2')

async function compared(old: RulesVariant, next: RulesVariant): Promise<Report> {
  return simulate({ log: log(), variants: { next, old, more: byIp }, baseline: 'old' })
}

// By address, the sixth request is denied; by user, the fifth one also.
const bob = {
  key: 'name user bob',
  asked: 3,
  denied: 1,
  first: '2026-11-20T00:00:00.401Z',
  mostlyAt: '/bob',
}

test('a newly denied key is that of the variant, with its requests there', async () => {
  const report = await compared(byIp, byUser)
  expect(report.compared).toMatchObject({
    baseline: 'old',
    variant: 'next',
    asked: 6,
    requestsNewlyDenied: 1,
    requestsNewlyAllowed: 0,
    keysNewlyDenied: 1,
    keysNewlyAllowed: 0,
    newlyDenied: [bob],
    newlyAllowed: [],
  })
})

test('a newly allowed key is that of the baseline, with its requests there', async () => {
  const report = await compared(byUser, byIp)
  expect(report.compared).toMatchObject({
    asked: 6,
    requestsNewlyDenied: 0,
    requestsNewlyAllowed: 1,
    keysNewlyDenied: 0,
    keysNewlyAllowed: 1,
    newlyDenied: [],
    newlyAllowed: [bob],
  })
})

test('further documents are replayed, and compared with nothing', async () => {
  const { variants } = await compared(byIp, byUser)
  expect(variants.map(({ name, asked, denied }) => [name, asked, denied])).toEqual([
    ['next', 6, 2],
    ['old', 6, 1],
    ['more', 6, 1],
  ])
})

test('keys that both documents deny at different requests are newly denied and newly allowed', async () => {
  const first = rules('first', 'id: name, when: { path: /bob }, key: user, limit: 2')
  const second = rules('second', 'id: name, when: { path: /alice }, key: ip, limit: 2')
  const { compared: numbers } = await compared(first, second)
  expect(numbers).toMatchObject({
    newlyDenied: [{ key: 'name 192.0.2.1', asked: 3, denied: 1 }],
    newlyAllowed: [{ key: 'name user bob', asked: 3, denied: 1 }],
  })
})

test('a baseline that no variant has is an error', async () => {
  const report = simulate({ log: log(), variants: { byIp }, baseline: 'old' })
  await expect(report).rejects.toThrow('baseline: no variant of rules has the name old')
})
