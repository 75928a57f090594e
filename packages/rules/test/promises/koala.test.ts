import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createLimiter, gcra, memoryStore } from '@sluice/core'
import type { RuleSet } from '../../src/index.js'
import { asked, compiled, judged, type TestFacts } from '../compiled.js'

const read = (name: string) => readFileSync(new URL(`koala/${name}.yaml`, import.meta.url), 'utf8')

/** An action of a user, as a client of Koala sends it. */
const action = (
  act: string,
  values: Readonly<Record<string, unknown>> = {},
  ip = '203.0.113.9',
): TestFacts => ({ ip, values: { act, ...values } })

const answerOf = (rules: RuleSet, facts: TestFacts, at?: number) => {
  const judgement = judged(rules, facts, at)
  return judgement.type === 'refuse' ? `refused by ${judgement.rule}` : asked(rules, facts, at)
}

/** Performs an action several times, and returns the number of allowed ones and the message of the first denial. */
function perform(rules: RuleSet) {
  let clock = Date.UTC(2026, 9, 1, 4)
  const limiter = createLimiter({
    name: rules.name,
    policies: gcra({ limit: 1, window: '1s' }),
    store: memoryStore(),
    clock: () => clock,
  })
  return {
    wait: (ms: number) => void (clock += ms),
    times(count: number, facts: TestFacts): readonly string[] {
      return Array.from({ length: count }, () => {
        const judgement = judged(rules, facts, clock)
        if (judgement.type !== 'ask') return judgement.type
        const [asked] = judgement.enforced
        if (asked === undefined) return 'tagged'
        const { keys, policies, cost, rules: applied } = asked
        const { allowed, deniedBy } = limiter.consume(keys, { policies, cost })
        // If several rules deny, the first one of the document determines the response.
        const first = [...applied].find(([name]) => deniedBy.includes(name))
        return allowed ? 'allowed' : `${first?.[1].rule} ${first?.[1].outcome.type}`
      })
    },
  }
}

describe('the rules of koala_rule.conf', async () => {
  const rules = await compiled(read('community'))

  test.each<readonly [string, TestFacts, string | readonly string[]]>([
    ['a comment on a video', action('add_comment', { uid: '5', video_id: 'v1' }), ['r400', 'r401']],
    ['a comment without a video', action('add_comment', { uid: '5' }), ['r401']],
    ['a share', action('video_share', { uid: '5' }), ['r500']],
    ['an order', action('mall_score', { uid: '5' }), ['r501']],
    ['a review', action('addreview', { uid: '5' }), ['r9527']],
    ['an action without a user', action('addreview'), ['pass']],
    [
      'a user of the white list, whose limits above it hold',
      action('add_comment', { uid: '2', video_id: 'v1' }),
      ['r400', 'r401'],
    ],
    [
      'a user of the white list who posts',
      action('xh_post', { uid: '2', subject_id: 's' }),
      ['pass'],
    ],
    ['an address of the white list', action('xh_post', { subject_id: 's' }, '1.1.1.1'), ['pass']],
    [
      'an address of the black list',
      action('xh_post', { subject_id: 's' }, '0.0.0.0'),
      'refused by r104',
    ],
    ['a post', action('xh_post', { uid: '5', subject_id: 's' }), ['r201']],
    ['an action without rules', action('login', { uid: '5' }), ['pass']],
  ])('%s', (_what, facts, expected) => {
    expect(answerOf(rules, facts)).toEqual(expected)
  })

  test('five comments a day give points, on five videos', () => {
    const user = perform(rules)
    const comment = (video: string) =>
      user.times(1, action('add_comment', { uid: '5', video_id: video }))[0]
    expect(['v1', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6'].map(comment)).toEqual([
      'allowed',
      'r400 deny',
      'allowed',
      'allowed',
      'allowed',
      'allowed',
      'r401 deny',
    ])
    // Shanghai's next day begins at 16:00Z.
    user.wait(12 * 3_600_000)
    expect(comment('v1')).toBe('allowed')
  })

  test('a post by day has another limit than one at night', () => {
    const day = perform(rules)
    const post = action('xh_post', { uid: '5', subject_id: 's' })
    expect(day.times(5, post)).toEqual(['allowed', 'allowed', 'allowed', 'allowed', 'r201 deny'])
    const night = perform(rules)
    // 01:00 in Shanghai.
    night.wait(13 * 3_600_000)
    expect(night.times(2, post)).toEqual(['allowed', 'r201 deny'])
  })
})

describe('the rules of the sample configuration', async () => {
  const rules = await compiled(read('questions'))

  test.each<readonly [string, TestFacts, string | readonly string[]]>([
    ['a user of the white list', action('add_ask', { qid: '1000' }), ['pass']],
    ['an address of the white list', action('add_ask', { qid: '7' }, '10.1.2.3'), ['pass']],
    ['a user of the black list', action('add_ask', { qid: '666' }), 'refused by r103'],
    ['a new user', action('add_ask', { qid: '7', is_new: 1 }), 'refused by r110'],
    [
      'a question',
      action('add_ask', { qid: '7' }),
      ['r111', 'r201', 'r202', 'r205', 'r220', 'r222', 'r223', 'r224', 'r225'],
    ],
    [
      'a question of a user with a high number',
      action('add_ask', { qid: '200000001' }),
      ['r111', 'r112', 'r201', 'r202', 'r205', 'r220', 'r222', 'r223', 'r224', 'r225'],
    ],
    ['a user with just that number', action('add_help', { qid: '200000000' }), ['r420']],
    [
      'a user beyond the range',
      action('add_ask', { qid: '2147483648' }),
      ['r111', 'r112', 'r205', 'r220', 'r222', 'r223', 'r224', 'r225'],
    ],
    [
      'a question to somebody',
      action('add_ask', { qid: '7', is_at: 1, to_qid: '8' }),
      ['r111', 'r201', 'r202', 'r203', 'r204', 'r205', 'r220', 'r222', 'r223', 'r224', 'r225'],
    ],
    [
      'an answer',
      action('add_answer', { qid: '7' }),
      ['r111', 'r221', 'r301', 'r302', 'r320', 'r322'],
    ],
    [
      'an answer of an expert',
      action('add_answer', { qid: '7', is_at: 1 }),
      ['r111', 'r221', 'r301', 'r302', 'r320', 'r321', 'r322'],
    ],
    ['an answer without a user', action('add_answer'), ['r221', 'r320', 'r322']],
    ['help with a question', action('add_help', { ask_id: '9' }), ['r420', 'r421']],
  ])('%s', (_what, facts, expected) => {
    expect(answerOf(rules, facts)).toEqual(expected)
  })

  test('the second question within two seconds is denied, and the eleventh of a day is challenged', () => {
    const user = perform(rules)
    const ask = () => user.times(1, action('add_ask', { qid: '7' }))[0]
    expect([ask(), ask()]).toEqual(['allowed', 'r201 deny'])
    const answers = Array.from({ length: 10 }, () => {
      user.wait(2000)
      return ask()
    })
    expect(answers).toEqual([...Array.from({ length: 9 }, () => 'allowed'), 'r205 challenge'])
  })

  test('after thirty questions from one address, further ones have to be two seconds apart', () => {
    const address = perform(rules)
    let user = 100
    const ask = () => address.times(1, action('add_ask', { qid: `${user++}` }))[0]
    const burst = Array.from({ length: 29 }, ask)
    expect(burst).toEqual(Array.from({ length: 29 }, () => 'allowed'))
    // Thirty within two seconds are the limit of another rule.
    address.wait(2000)
    // The next question has to be two seconds after the thirtieth.
    expect([ask(), ask(), ask()]).toEqual(['allowed', 'r224 deny', 'r224 deny'])
    address.wait(1999)
    expect(ask()).toBe('r224 deny')
    address.wait(1)
    expect(ask()).toBe('allowed')
  })

  test('questions and answers of one user share one count a day', () => {
    const judgement = judged(rules, action('add_answer', { qid: '7' }))
    const asks = judged(rules, action('add_ask', { qid: '7' }))
    const keyOf = (one: typeof judgement) =>
      one.type === 'ask'
        ? Object.entries(one.enforced[0]?.keys ?? {}).find(([name]) => name === 'r111')
        : undefined
    expect(keyOf(judgement)).toEqual(['r111', ['qid', '7']])
    expect(keyOf(asks)).toEqual(keyOf(judgement))
  })
})
