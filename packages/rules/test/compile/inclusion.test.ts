import { runs } from '@sluice/test-kit/random'
import { expect, test } from 'vitest'
import { includes, type Matched } from '../../src/compile/inclusion.js'
import type {
  Predicate,
  RuleDeclaration,
  RulesDocument,
  When,
} from '../../src/document/document.js'
import { matches } from '../naive/interpreter.js'
import { Random } from '../naive/random.js'
import type { TrueRequest } from '../naive/request.js'

const words = ['a', 'b', 'A', '5']
const ips = Array.from({ length: 8 }, (_, i) => `10.0.0.${i}`)
const paths = ['/', '/a', '/a/b', '/b', '/A']

/** The values of each field in the predicates of rules. */
const literals: Readonly<Record<string, readonly (string | number)[]>> = {
  method: ['GET', 'get', 'HEAD', 'POST'],
  host: ['a', 'A', 'b'],
  ip: [...ips, '10.0.0.0/30', '10.0.0.2/31', '10.0.0.4/31', '10.0.0.0/29'],
  path: [...paths, '/:x', '/a/**', '/a/:x', '/**'],
  user: [...words, 5],
  'query.q': words,
  'cookie.c': words,
  'param.x': words,
}

function randomPredicate(random: Random, field: string): Predicate {
  const some = random.some(literals[field])
  if (random.chance(0.7)) return random.chance(0.5) ? some[0] : some
  return random.one<Predicate>([
    { present: random.chance(0.7) },
    ...(field === 'path' || field === 'ip' ? [] : [{ prefix: 'a' }]),
    { not: some },
  ])
}

function randomWhen(random: Random): When {
  const when: Record<string, Predicate | When | readonly When[]> = {}
  for (const field of Object.keys(literals)) {
    if (random.chance(0.25)) when[field] = randomPredicate(random, field)
  }
  // A parameter belongs to a pattern of the rule's own path.
  if (when['param.x'] !== undefined) when['path'] = '/:x'
  if (random.chance(0.1)) when['not'] = { user: random.one(words) }
  if (random.chance(0.1)) when['any'] = [{ user: random.one(words) }, { host: 'a' }]
  return when
}

function randomRule(random: Random, id: string, like?: RuleDeclaration): RuleDeclaration {
  const own = randomWhen(random)
  // Unrelated rules seldom include each other.
  const when = like === undefined ? own : random.chance(0.5) ? { ...like.when, ...own } : own
  return random.chance(0.4) ? { id, when, then: 'allow' } : { id, when, then: 'deny' }
}

function randomRequest(random: Random): TrueRequest {
  const path = random.one(paths)
  const isPlain = random.chance(0.7)
  const readings = [path, ...(isPlain ? [] : [random.one(paths)])].map((one) => one.toLowerCase())
  const maybe = <T>(value: T): T | undefined => (random.chance(0.2) ? undefined : value)
  return {
    path,
    plain: isPlain,
    readings,
    routed: readings,
    fields: {
      method: random.one(['GET', 'HEAD', 'POST']),
      host: maybe(random.one(['a', 'b', 'c', ...(isPlain ? [] : [['a', 'b']])])),
      ip: random.one(ips),
      user: maybe(random.one(words)),
      'query.q': maybe(random.one([...words, random.some(words), ['', 'a']].map(single))),
      'cookie.c': maybe(random.one([...words, ['', 'a'], ['a', 'b']])),
    },
  }
}

/** A list of one value is that value. */
function single<T>(value: T | readonly T[]): T | readonly T[] {
  return Array.isArray(value) && value.length === 1 ? (value[0] as T) : value
}

function matchedBy({ when, then }: RuleDeclaration): Matched {
  return { when, exact: then === 'allow' }
}

const pairs = runs(8000)

test('a claim about two rules is true of all requests', () => {
  const random = new Random(1)
  const document: RulesDocument = { version: 1, name: 'pairs', rules: [] }
  const requests = Array.from({ length: 200 }, () => randomRequest(random))
  let found = 0
  for (let i = 0; i < pairs; i++) {
    const outer = randomRule(random, 'outer')
    const inner = randomRule(random, 'inner', outer)
    if (includes(matchedBy(outer), matchedBy(inner), false) !== 'yes') continue
    const common = requests.filter((request) => matches(inner, document, request))
    for (const request of common) {
      if (!matches(outer, document, request)) expect({ outer, inner, request }).toBe('a proof')
    }
    if (common.length > 0) found++
  }
  expect(found).toBeGreaterThan(pairs / 40)
})

test.each([
  ['method', 'GET', 'get', 'yes'],
  ['host', 'Shop.example', 'shop.EXAMPLE', 'yes'],
  ['user', 'Ann', 'ann', 'no'],
] as const)('%s: %s and %s are the same value: %s', (field, one, other, answer) => {
  const [outer, inner] = [one, other].map((value): RuleDeclaration => {
    return { id: value, when: { [field]: value }, then: 'allow' }
  })
  expect(includes(matchedBy(outer), matchedBy(inner), false)).toBe(answer)
})

test.each(['path', 'host', 'query.q', 'cookie.c'])(
  'an exemption by %s does not cover a limit by the same value, which applies to a request with several',
  (field) => {
    const when = { [field]: '/a' }
    expect(includes({ when, exact: true }, { when, exact: false }, false)).toBe('no')
    expect(includes({ when, exact: true }, { when, exact: true }, false)).toBe('yes')
  },
)

test.each(['any', 'all', 'not'])('nothing is claimed of a rule with "%s"', (name) => {
  const nested = { user: 'ann' }
  const outer = { when: { [name]: name === 'not' ? nested : [nested] }, exact: true }
  expect(includes(outer, { when: { user: 'ann' }, exact: true }, false)).toBe('unknown')
})
