import { expect, test } from 'vitest'
import { parseRules, RulesError } from '../../src/index.js'
import { compiled, findingsOf, head } from '../compiled.js'

const limit = 'limit: 1, window: 1m'
const byPolicy =
  'policy: { by: plan, free: { kind: fixedWindow, limit: 5, window: 1m }, pro: { kind: unlimited } }'

test.each([
  [
    `over: { chalenge: { kind: captcha } }, ${limit}`,
    'there is no "chalenge" here. Known: "deny", "delay", "challenge", "tag".',
  ],
  [
    'policy: { by: plan, free: 3 }',
    'this is 3. Write a policy, such as { kind: fixedWindow, limit: 5, window: 1m }. If only the number differs, write limit: { by: plan, free: 5, pro: 50 } and a window.',
  ],
  [
    'policy: { limit: 5, window: 1m }',
    '"kind" is missing. Write the name of a builder, such as fixedWindow.',
  ],
])('the message for %s names the mistake and the correction', async (members, message) => {
  const findings = await findingsOf(`${head}\nrules:\n  - { id: r, ${members} }`)
  expect(findings.map((finding) => finding.message)).toEqual([message])
})

test('the message of the error lists the mistakes with their lines', () => {
  let error: unknown
  try {
    parseRules({
      text: `${head}\nrules:\n  - { id: r, when: { plann: pro }, limit: 1, window: 1m }`,
      format: 'yaml',
      files: new Map(),
    })
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(RulesError)
  expect(error).toMatchObject({ code: 'SLUICE_RULES_INVALID' })
  expect(String(error)).toContain('10:22 rules[0].when.plann: there is no field or value "plann".')
  expect(String(error)).toContain('Did you mean "plan"?')
})

test.each([
  [
    `over: challenge, ${limit}`,
    'rules[0].over: this is "challenge". Write deny, { deny: { status: 403 } }, { delay: 5s }, { challenge: { kind: captcha } }, or { tag: name }.',
  ],
  [
    'then: challenge',
    'rules[0].then: this is "challenge". Write allow, deny, { deny: { status: 403 } }, { challenge: { kind: captcha } }, or { tag: name }.',
  ],
  [
    `when: { level: { above: "3" } }, ${limit}`,
    'rules[0].when.level.above: this is "3". Write the number without quotes.',
  ],
  ['limit: "3", window: 1m', 'rules[0].limit: this is "3". Write the number without quotes.'],
  [
    'limit: { by: plan, free: { limit: 5, window: 1h }, pro: 9 }, window: 1m',
    `rules[0].limit.free: this is an object with "limit", "window". Write a whole number, 0 or more. For other windows, or no limit, write ${byPolicy}.`,
  ],
  [
    'limit: { by: plan, free: 5, pro: unlimited }, window: 1m',
    `rules[0].limit.pro: this is "unlimited". Write a whole number, 0 or more. For other windows, or no limit, write ${byPolicy}.`,
  ],
  [
    'limit: 5, window: { by: plan, free: 1m, pro: 1h }',
    `rules[0].window: this is an object with "by", "free", "pro". Write a duration such as 1m. For a window that depends on a value, write ${byPolicy}.`,
  ],
  [
    'policies: { by: plan, free: { m: { kind: gcra, limit: 1, window: 1m } }, pro: {} }',
    'rules[0].policies.by: this is "by". Write one rule for each policy: "by" chooses a single policy.',
  ],
  [
    `when: { path: */* }, ${limit}`,
    'this is not YAML: Unresolved alias (the anchor must be set before the alias): /*.',
  ],
])('the message about %j contains the correction', async (rule, message) => {
  const text = `${head}\nrules:\n  - { id: r, ${rule} }`
  const findings = await findingsOf(text)
  expect(findings.map((finding) => finding.line)).toEqual([10])
  const thrown: unknown = await (async () => compiled(text))().catch((error: unknown) => error)
  expect(String(thrown)).toMatch(/\n {2}10:\d+[ :]/)
  expect(String(thrown).replace(/^[\s\S]*\n {2}10:\d+:? /, '')).toBe(message)
})

test('the policy of the messages is a valid one', async () => {
  expect(await findingsOf(`${head}\nrules:\n  - { id: r, ${byPolicy} }`)).toEqual([])
})
