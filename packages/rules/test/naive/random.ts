import { pathReadings } from '../../src/match/paths/readings.js'
import type {
  Operators,
  Predicate,
  RuleDeclaration,
  RulesDocument,
  Scalar,
  When,
} from '../../src/document/document.js'
import type { Facts } from '../../src/facts.js'
import type { TrueRequest } from './request.js'

/** A source of reproducible choices (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]
  }

  chance(share: number): boolean {
    return this.below(1000) < share * 1000
  }

  some<T>(choices: readonly T[]): T[] {
    const chosen = choices.filter(() => this.chance(0.4))
    return chosen.length === 0 ? [this.one(choices)] : chosen
  }
}

const texts = ['a', 'b', 'ab', 'Bot', 'x-1', '10', '5', '10,20-30', '|', '%', 'é', 'e\u0301']
const ips = ['10.0.0.1', '10.0.1.1', '10.1.0.9', '192.0.2.7', '203.0.113.9']
const ranges = ['10.0.0.0/8', '10.0.0.0/16', '10.0.1.0/24', '10.0.1.1', '192.0.2.0/24', '0.0.0.0/0']
const patterns = [
  '/',
  '/a',
  '/a/b',
  '/A/:id',
  '/a/**',
  '/:x',
  '/:x/:y',
  '/b/:id/**',
  '/**',
  '/a/b/c',
]
const segments = ['a', 'b', 'c', 'A', 'B', 'x1']
const textFields = ['method', 'host', 'route', 'header.x', 'query.q', 'cookie.c', 'user', 'path']
const plans = ['free', 'pro', 'expert']

export function randomDocument(random: Random, name: string): RulesDocument {
  const size = 1 + random.below(24)
  return {
    version: 1,
    name,
    values: {
      user: 'string?',
      plan: plans,
      level: 'integer?',
      score: 'number?',
      isNew: 'boolean?',
      points: 'integer',
    },
    lists: {
      nets: { kind: 'address', entries: random.some(ranges) },
      words: { kind: 'text', entries: random.some(texts) },
    },
    rules: Array.from({ length: size }, (_, i) => randomRule(random, i)),
  }
}

function randomRule(random: Random, number: number): RuleDeclaration {
  const when = random.chance(0.9) ? withParameter(random, randomWhen(random, 0)) : undefined
  const about = {
    id: `r${number}`,
    ...(when === undefined ? {} : { when }),
    ...(random.chance(0.15) ? { shadow: true } : {}),
    ...(random.chance(0.05) ? { enabled: false } : {}),
  }
  const ending = random.below(10)
  if (ending === 0) return { ...about, then: 'allow' }
  if (ending === 1)
    return { ...about, then: random.one(['deny' as const, { challenge: { kind: 'captcha' } }]) }
  if (ending === 2) return { ...about, then: { tag: `t${number}` } }
  const path = when?.['path']
  const hasId = typeof path === 'string' && path.includes(':id')
  const keys = [
    'ip',
    'user',
    'plan',
    'level',
    'query.q',
    'cookie.c',
    ...(hasId ? ['param.id'] : []),
  ]
  const part = () =>
    random.chance(0.3) ? { first: random.some([...keys, 'ip']) } : random.one(keys)
  return {
    ...about,
    key: random.chance(0.1) ? [] : random.chance(0.5) ? part() : [part(), part()],
    limit: 5,
    window: '1m',
    ...(random.chance(0.2) ? { group: random.one(['g', 'h']) } : {}),
    ...(random.chance(0.15)
      ? { count: `${about.shadow === true ? 's' : 'c'}${random.below(2)}` }
      : {}),
    ...(random.chance(0.1) ? { over: { tag: 'over' } } : {}),
    ...(random.chance(0.1) ? { cost: random.one([2, '$points']) } : {}),
  }
}

function randomWhen(random: Random, level: number): When {
  const when: Record<string, Predicate | When | readonly When[]> = {}
  const count = 1 + random.below(3)
  for (let i = 0; i < count; i++) {
    const [name, predicate] = randomPredicate(random)
    when[name] = predicate
  }
  if (level < 2 && random.chance(0.15))
    when['any'] = [randomWhen(random, level + 1), randomWhen(random, level + 1)]
  if (level < 2 && random.chance(0.1)) when['all'] = [randomWhen(random, level + 1)]
  if (level < 2 && random.chance(0.1)) when['not'] = randomWhen(random, level + 1)
  return when
}

/** Adds a predicate of the parameter of the path, if it has one. */
function withParameter(random: Random, when: When): When {
  const { path } = when
  if (typeof path !== 'string' || !path.includes(':id') || random.chance(0.5)) return when
  const predicate = random.one<Predicate>([
    random.one(segments),
    random.some(segments),
    { prefix: random.one(['a', 'A', 'X']) },
    { matches: '^[A-C]$' },
    { not: random.one(segments) },
    { present: true },
  ])
  return random.chance(0.8) || when['not'] !== undefined
    ? { ...when, 'param.id': predicate }
    : { ...when, not: { 'param.id': predicate } }
}

function randomPredicate(random: Random): readonly [string, Predicate] {
  switch (random.below(9)) {
    case 0:
      return [
        'path',
        random.one<Predicate>([
          random.one(patterns),
          random.one(patterns),
          random.some(patterns),
          { not: random.one(patterns) },
          { not: { prefix: '/a' } },
        ]),
      ]
    case 1:
      return [
        'ip',
        random.one<Predicate>([
          random.one(ranges),
          random.some(ranges),
          { in: '$nets' },
          { not: { in: '$nets' } },
        ]),
      ]
    case 2:
      return [
        'plan',
        random.one<Predicate>([random.one(plans), random.some(plans), { not: random.one(plans) }]),
      ]
    case 3:
      return [
        random.one(['level', 'score']),
        random.one<Predicate>([
          random.below(5),
          [1, 3],
          numbers(random),
          { present: random.chance(0.5) },
        ]),
      ]
    case 4:
      return ['isNew', random.one<Predicate>([true, false, { present: true }])]
    case 5:
      return [
        'method',
        random.one<Predicate>(['GET', 'post', ['GET', 'Put'], { not: 'GET' }, 'HEAD']),
      ]
    default:
      return [random.one(textFields.slice(1, -1)), textPredicate(random)]
  }
}

function numbers(random: Random): Operators {
  return random.one<Operators>([
    { from: 1, to: 3 },
    { above: 1 },
    { below: 3 },
    { not: { from: 2 } },
    { above: 0, below: 4 },
  ])
}

function textPredicate(random: Random): Predicate {
  const list = random.chance(0.3)
  return random.one<Predicate>([
    random.one<Scalar>([...texts, 5, 10]),
    random.some<Scalar>([...texts, 5]),
    { in: '$words' },
    { prefix: list ? '$words' : random.one(texts) },
    { suffix: random.some(texts) },
    { contains: list ? '$words' : random.some(texts) },
    { matches: random.one(['^a', 'b$', '[0-9]+', 'o.']) },
    { present: random.chance(0.5) },
    { not: random.one(texts) },
    numbers(random),
  ])
}

export interface RandomRequest {
  readonly truth: TrueRequest
  readonly facts: Facts
}

export function randomRequest(random: Random): RandomRequest {
  const path = `/${Array.from({ length: random.below(4) }, () => random.one(segments)).join('/')}`
  const spelling = random.chance(0.5) ? path : respelled(random, path)
  const q = Array.from({ length: random.below(4) }, () => random.one(['', ...texts]))
  const name = random.chance(0.1) ? 'q[]' : 'q'
  const query = q.map((value) => `${name}=${encodeURIComponent(value)}`).join('&')
  const maybe = <T>(make: () => T): T | undefined => (random.chance(0.3) ? undefined : make())
  const method = random.one(['GET', 'POST', 'PUT', 'get', 'HEAD'])
  const host = maybe(() => random.one(['a', 'A', 'b', 'x-1']))
  // Some frameworks do not find "q[]".
  const values = name === 'q' ? q : ['', ...q]
  const isOne = values.length < 2 || values.every((value) => value === '')
  const fields = {
    method,
    host,
    route: maybe(() => random.one(texts)),
    ip: random.one(ips),
    'header.x': maybe(() => random.one(texts)),
    'cookie.c': maybe(() => random.one([...texts, ['', 'a'], ['a', 'b']])),
    'query.q': isOne ? values[0] || undefined : values,
    user: maybe(() => random.one(texts)),
    plan: random.one(plans),
    level: maybe(() => random.below(5)),
    score: maybe(() => random.one([0, 1, 2.5, 3])),
    isNew: maybe(() => random.chance(0.5)),
    points: random.below(3),
  }
  return {
    truth: { fields, path, ...readingsOf(spelling), plain: spelling === path },
    facts: {
      method,
      url: query === '' ? spelling : `${spelling}?${query}`,
      semicolonEndsPath: false,
      route: fields.route,
      host: host === undefined || random.chance(0.7) ? host : `${host}:8080`,
      ip: fields.ip,
      header: (name) => (name === 'x' ? fields['header.x'] : undefined),
      cookie: (name) => (name === 'c' ? fields['cookie.c'] : undefined),
      value: (name) => fields[name as 'user'],
    },
  }
}

function readingsOf(url: string): Pick<TrueRequest, 'readings' | 'routed'> {
  const { all, routed } = pathReadings(url, false)
  return { readings: all, routed }
}

/** The same path in another spelling. */
function respelled(random: Random, path: string): string {
  switch (random.below(8)) {
    case 7:
      // It has more meanings than a rule tells apart.
      return `/zz//\\/../%2f//;${path};v=1//`
    case 0:
      return path === '/' ? '//' : `${path}/`
    case 1:
      return path.replace('/', '//')
    case 2:
      return path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
    case 3:
      return `/./${path.slice(1)}`
    case 4:
      return `/zz/..${path}`
    case 5:
      return `http://host.example${path}`
    default:
      return path === '/' ? '/;v=1' : path.replace(/$/, ';v=1')
  }
}
