import { expect, test } from 'vitest'
import { asked, compiledRules } from '../compiled.js'

const document = `
  - { id: free, when: { host: api.example }, then: allow }
  - { id: api, when: { host: api.example }, key: host, limit: 1, window: 1m }
  - { id: others, when: { not: { host: api.example } }, key: [], limit: 1, window: 1m }`

test.each([
  'api.example:x',
  'api.example:80:80',
  'api.example:-1',
  'api.example: 80',
  'api.example:',
  'api.example.',
  'API.example.:80',
  'u@api.example',
  'u@api.example:80',
  'api.example,other',
  ' api.example ',
])('%s can be api.example: limits apply, and no exemption', async (host) => {
  const rules = await compiledRules(document)
  expect(asked(rules, { host })).toEqual(['api', 'others'])
  expect(rules.judge({ host }, 0)).toMatchObject({
    enforced: [{ keys: { api: ['host', 'api.example'] } }],
  })
})

test.each(['api.example', 'API.example', 'api.example:80', 'Api.Example:65535'])(
  '%s is api.example',
  async (host) => {
    expect(asked(await compiledRules(document), { host })).toEqual(['pass'])
  },
)

test.each(['api.example.org', 'x.api.example', '', 'example', 'api.example/', '[api.example]'])(
  '%s is another host',
  async (host) => {
    expect(asked(await compiledRules(document), { host })).toEqual(['others'])
  },
)

test('the last of several hosts is one of them, and the first one counts', async () => {
  const rules = await compiledRules(document)
  expect(rules.judge({ host: 'other, api.example' }, 0)).toMatchObject({
    enforced: [{ keys: { api: ['host', 'other'] } }],
  })
})

test('an IPv6 address is a host with and without a port', async () => {
  const rules = await compiledRules(`  - { id: free, when: { host: '[::1]' }, then: allow }
  - { id: all, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { host: '[::1]' })).toEqual(['pass'])
  expect(asked(rules, { host: '[::1]:8080' })).toEqual(['pass'])
  expect(asked(rules, { host: '[::1]x:8080' })).toEqual(['all'])
})

test('several hosts of a request are all of them, and that of the framework counts', async () => {
  const rules = await compiledRules(document)
  expect(asked(rules, { host: ['api.example', 'api.example:80'] })).toEqual(['pass'])
  expect(asked(rules, { host: ['api.example', 'other'] })).toEqual(['api', 'others'])
  expect(asked(rules, { host: ['', 'api.example'] })).toEqual(['api', 'others'])
  expect(rules.judge({ host: ['other', 'api.example'] }, 0)).toMatchObject({
    enforced: [{ keys: { api: ['host', 'other'] } }],
  })
})
