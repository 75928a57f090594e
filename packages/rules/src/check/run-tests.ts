import type { Explanation } from '../compile/explain.js'
import type { RuleSet } from '../compile/rule-set.js'
import type { RulesDocument, TestDeclaration, TestRequest } from '../document/document.js'
import { rulesMessage } from '../errors.js'
import { quoted, quotedList, reasonOf } from '../errors/quoting.js'
import type { Facts } from '../facts.js'

/** The result of one of the document's tests. */
export interface TestResult {
  /** Its position, counted from 1. */
  readonly position: number
  readonly passed: boolean
  /** The reason why the test failed, in words. */
  readonly problem?: string
  readonly expected: Outcomes
  readonly actual: Outcomes
}

interface Outcomes {
  readonly applies?: readonly string[] | undefined
  readonly refuses?: string | undefined
  readonly allows?: string | undefined
  readonly tags?: readonly string[] | undefined
}

/**
 * Runs the document's tests. Their requests do not count in the statistics of the rules.
 *
 * @param now the time of requests that name none, in milliseconds since the epoch
 */
export async function runTests(
  rules: RuleSet,
  now: number = Date.now(),
): Promise<readonly TestResult[]> {
  const { tests = [] } = rules.document
  return Promise.all(tests.map(async (test, index) => run(rules, test, index + 1, now)))
}

async function run(
  rules: RuleSet,
  test: TestDeclaration,
  position: number,
  now: number,
): Promise<TestResult> {
  const { request, at, ...expected } = test
  const time = at === undefined ? now : Date.parse(at)
  let problem = unknownName(test, rules.document)
  if (Number.isNaN(time)) problem ??= `"at" is no time: ${at}`
  let actual: Outcomes = {}
  try {
    if (problem === undefined) {
      actual = outcomesOf(await rules.explain(factsOf(request), time))
      problem = problemOf(expected, actual)
    }
  } catch (error) {
    problem = reasonOf(error)
  }
  const result = { position, passed: problem === undefined, expected, actual }
  return problem === undefined ? result : { ...result, problem }
}

function outcomesOf({ rules, type, endedBy, asked, shadow, tags }: Explanation): Outcomes {
  const applied = new Set([...asked, ...shadow])
  return {
    applies: rules.map(({ id }) => id).filter((id) => applied.has(id)),
    refuses: type === 'refuse' ? endedBy : undefined,
    allows: type === 'refuse' ? undefined : endedBy,
    tags,
  }
}

/** The mistake of a test with a misspelled name, which no rule would read. */
function unknownName(
  { request, applies = [], refuses, allows }: TestDeclaration,
  { values = {}, rules }: RulesDocument,
): string | undefined {
  const known = [...Object.keys(values), ...fieldNames]
  const isKnown = (name: string): boolean =>
    known.includes(name) || /^(?:header|cookie)\../.test(name)
  const name = Object.keys(request).find((one) => !isKnown(one))
  if (name !== undefined) {
    const names = [...known, 'header.NAME', 'cookie.NAME']
    return rulesMessage('SLUICE_RULES_FIELD_UNKNOWN', name, names)
  }
  const ids = rules.map(({ id }) => id)
  const id = [...applies, refuses, allows].find((one) => one !== undefined && !ids.includes(one))
  if (id === undefined) return undefined
  return `there is no rule ${quoted(id)}. Rules: ${quotedList(ids)}.`
}

const fieldNames = ['method', 'path', 'url', 'route', 'host', 'ip']

function problemOf(expected: Outcomes, actual: Outcomes): string | undefined {
  for (const what of ['applies', 'refuses', 'allows', 'tags'] as const) {
    // A test with `applies` also requires that no rule refuses the request.
    if (expected[what] === undefined && !(what === 'refuses' && expected.applies !== undefined))
      continue
    const [wanted, got] = [inWords(expected[what]), inWords(actual[what])]
    if (wanted !== got) return `expected "${what}" ${wanted}, got ${got}`
  }
  return undefined
}

function inWords(value: string | readonly string[] | undefined): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : `[${value.join(', ')}]`
}

/** The facts of a request in a document's tests. Names that are not fields are declared values. The names of headers are equal in any case. */
export function factsOf(request: TestRequest): Facts {
  const headers = new Map(Object.keys(request).map((name) => [name.toLowerCase(), name] as const))
  const text = (name: string): string | undefined => {
    const value = request[name]
    return value === undefined ? undefined : String(value)
  }
  return {
    method: text('method') ?? 'GET',
    url: text('url') ?? text('path') ?? '/',
    route: text('route'),
    host: text('host'),
    ip: text('ip'),
    header: (name) => text(headers.get(`header.${name}`) ?? ''),
    cookie: (name) => text(`cookie.${name}`),
    value: (name) => request[name],
  }
}
