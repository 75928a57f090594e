import type { RuleSet } from '../compile/rule-set.js'
import type { TestDeclaration, TestRequest } from '../document/document.js'
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
  const results: TestResult[] = []
  for (const [index, test] of (rules.document.tests ?? []).entries()) {
    results.push({ position: index + 1, ...(await run(rules, test, now)) })
  }
  return results
}

async function run(
  rules: RuleSet,
  { request, at, applies, refuses, allows, tags }: TestDeclaration,
  now: number,
): Promise<Omit<TestResult, 'position'>> {
  const expected: Outcomes = { applies, refuses, allows, tags }
  const time = at === undefined ? now : Date.parse(at)
  if (Number.isNaN(time)) {
    return { passed: false, problem: `"at" is no time: ${at}`, expected, actual: {} }
  }
  try {
    const {
      rules: explained,
      endedBy,
      type,
      asked,
      shadow,
      tags: actualTags,
    } = await rules.explain(factsOf(request), time)
    const order = explained.map(({ id }) => id)
    const applied = [...asked, ...shadow].toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    const actual: Outcomes = {
      applies: applied,
      refuses: type === 'refuse' ? endedBy : undefined,
      allows: type === 'refuse' ? undefined : endedBy,
      tags: actualTags,
    }
    const problem = problemOf(expected, actual)
    return {
      passed: problem === undefined,
      ...(problem === undefined ? {} : { problem }),
      expected,
      actual,
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { passed: false, problem, expected, actual: {} }
  }
}

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

/** The facts of a request in a document's tests. Names that are not fields are declared values. */
export function factsOf(request: TestRequest): Facts {
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
    header: (name) => text(`header.${name}`),
    cookie: (name) => text(`cookie.${name}`),
    value: (name) => request[name],
  }
}
