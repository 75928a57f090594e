import { beforeAll, describe, expect, test } from 'vitest'
import { otherCalls } from './calls.js'
import { callsWithForms, firstSentence, formsOf } from './documented.js'
import { editors, type Editor } from './editors.js'
import { newProgram } from './written.js'

// The editors read all packages and their frameworks.
const timeout = 300_000

const results = [
  'core.Decision',
  'core.HeldLease',
  'core.Limiter',
  'core.MemoryStore',
  'core.PolicyStatus',
  'core.Status',
  'core.Verdict',
  'express.RateLimitMiddleware',
  'fastify.PlacedLimit',
  'koa.RateLimitMiddleware',
  'koa.RateLimitState',
  'nestjs.RateLimiters',
  'rules.LoadedRules<unknown>',
  'rules.RuleLimiter',
]

/** Calls, and the types of the options that a hover over the name of the function shows. */
const signatures = [
  [`express.rateLimit({ limit: 5, window: '1m' })`, 'express.RateLimitOptions<"1m", unknown>'],
  [
    `express.rateLimit({ policies: { user: policy }, key: { user: express.byIp() } })`,
    'express.RateLimitOptions<core.Duration, { user: core.Policy; }>',
  ],
  [`koa.rateLimit({ limit: 5, window: '1m' })`, 'koa.RateLimitOptions<"1m", unknown>'],
  [`fastify.rateLimit(app, { policies: policy })`, 'fastify.RateLimitPluginOptions'],
  [`app.sluice({ limit: 5, window: '1m' })`, 'fastify.RateLimitOptions<"1m", unknown>'],
  [
    `nestjs.RateLimit({ limit: 5, window: '1m' })`,
    'nestjs.RateLimitOptions<nestjs.NestRequest, "1m", unknown>',
  ],
  [
    `nestjs.RateLimitModule.forRoot({ policies: policy })`,
    'nestjs.RateLimitModuleOptions<nestjs.NestRequest>',
  ],
  [
    `core.createLimiter({ name: 'api', policies: policy })`,
    'core.LimiterOptions<core.MemoryStore, core.Duration>',
  ],
  [
    `core.createLimiter({ name: 'api', limit: 5, window: '1m' })`,
    'core.LimiterOptions<core.MemoryStore, "1m">',
  ],
  [`core.gcra({ limit: 5, window: '1m' })`, 'core.GcraOptions & Record<"window", "1m">'],
] as const

const incomplete = new Set(['core.createLimiter', 'express.rateLimit', 'RateLimitModule.forRoot'])

const calls = callsWithForms()
const program = newProgram(calls)

const passed = calls.flatMap((call) =>
  call.forms.flatMap((form, i) => {
    const offsets = program.addCall(call, [...form.keys()])
    return Array.from(form, ([option, said], at) => {
      return {
        call,
        option,
        place: `${call.name}, form ${i}: ${option}`,
        offset: offsets[at],
        said,
      }
    })
  }),
)

/** Calls that are not complete: with one option only. */
const begun = calls
  .filter(({ name }) => incomplete.has(name))
  .flatMap((call) =>
    call.forms.flatMap((form) =>
      Array.from(form, ([option, said]) => {
        const [offset] = program.addCall(call, [option])
        return { place: `${call.name}: ${option}`, offset, said }
      }),
    ),
  )

const places = calls.map((call) => {
  const [offset] = program.addCall(call, [])
  return { name: call.name, offset, options: call.forms.flatMap((form) => [...form]) }
})

const members = formsOf(results).flatMap(([form], i) =>
  Array.from(form ?? [], ([member, said]) => {
    const object = `value<{ it: ${results[i]} }, 'it'>()`
    const offset = program.add(`${object}.${member}`, object.length + 1)
    return { place: `${results[i]}: ${member}`, offset, said }
  }),
)

const functions = signatures.map(([call, type]) => {
  return { call, type, offset: program.add(call, call.search(/(?<=\.)\w+\(/)) }
})

test('every function with options is found, and every result has members', () => {
  const named = calls.map(({ name }) => name)
  const some = ['core.gcra', 'core.limited', 'express.rateLimit', 'rules.loadRules']
  const known = [...some, ...otherCalls.map(({ name }) => name)]
  expect(named).toEqual(expect.arrayContaining(known))
  const seen = new Set(members.map(({ place }) => place.replace(/: \w+$/, '')))
  expect([...seen]).toEqual(results)
})

describe.each(editors)('%s', (name, open) => {
  let editor: Editor

  beforeAll(async () => {
    editor = await open(program.text())
    return () => editor.close()
  }, timeout)

  test('shows the documentation of each option that is passed', { timeout }, async () => {
    const expected = passed.map(({ call, option, place, said }) => {
      return [place, call.isHidden?.(name, option) === true ? '' : said]
    })
    expect(await shownAt(passed)).toEqual(expected)
  })

  test('shows it in a call that is not complete yet', { timeout }, async () => {
    expect(await shownAt(begun)).toEqual(begun.map(({ place, said }) => [place, said]))
  })

  test('suggests each option, with its documentation', { timeout }, async () => {
    for (const { name, offset, options } of places) {
      const suggested = await editor.suggestions(offset)
      const shown = options.map(([option]) => {
        return [option, firstSentence(suggested.get(option) ?? 'is not suggested')]
      })
      expect([name, shown]).toEqual([name, options])
    }
  })

  test('shows the documentation of each member of a result', { timeout }, async () => {
    expect(await shownAt(members)).toEqual(members.map(({ place, said }) => [place, said]))
  })

  test('shows readable types of the functions', { timeout }, async () => {
    for (const { call, offset, type } of functions) {
      const shown = (await editor.hover(offset)).type
      expect([call, shown]).toEqual([call, expect.stringContaining(type)])
      expect([call, shown]).not.toEqual([call, expect.stringMatching(/\b(?:Omit|Pick|Exclude)</)])
    }
  })

  async function shownAt(all: readonly { readonly place: string; readonly offset: number }[]) {
    const shown = []
    for (const { place, offset } of all) {
      shown.push([place, firstSentence((await editor.hover(offset)).documentation)])
    }
    return shown
  }
})
