import type { Application } from './applications.js'
import { forms } from './documents.js'
import { isRoute, patterns, type Ran } from './routes.js'
import type { Judged } from './spy.js'

/** The judgements of a request by the names of the documents. */
export type Judgements = ReadonlyMap<string, Judged>

/** The mistakes in the judgements of a request that a route or a file served. */
export function mistakesOf(
  ran: Ran,
  judgements: Judgements,
  pattern: string,
  { rewrites }: Application,
): readonly string[] {
  const { id, param, query } = ran
  const wrong: string[] = []
  const judged = (name: string): Judged => found(judgements, name)
  function expectLimit(document: string, rule: string): void {
    const { isRefused, keys } = judged(document)
    if (!isRefused && !keys.has(rule)) wrong.push(`avoids "${rule}" of ${document}`)
  }
  expectLimit('limits', `is ${id}`)
  expectLimit('limits', `twice ${id}`)
  expectLimit('group', `is ${id}`)
  for (const other of Object.keys(patterns)) if (other !== id) expectLimit('others', `not ${other}`)
  if (id === pattern && judged(`deny ${id}`).isFree) wrong.push('is not denied')
  if (param !== undefined) {
    expectLimit('parameters', `${param === 'A' ? 'is' : 'not'} ${id}`)
    const isFree = id === pattern && judged(`param ${id}`).isFree
    if (isFree && param !== 'A') wrong.push('is exempt by its parameter')
  }
  if (isRoute(ran)) {
    if ([query].flat().includes('A')) expectLimit('others', 'query')
    if (query !== 'A') expectLimit('others', 'not query')
    if (query === undefined) expectLimit('others', 'no query')
    if (query !== 'A' && judged('query.id: A').isFree) wrong.push('is exempt by its query')
  }
  // An application that rewrites URLs is judged by its own exemptions only.
  if (rewrites) wrong.push(...wrongExemptions([id], exemptionsOf(judgements, pattern), pattern))
  return wrong
}

/** The forms of exemptions that let a request pass. */
export function exemptionsOf(judgements: Judgements, pattern: string): readonly string[] {
  return Object.values(forms)
    .flat()
    .filter((form) => found(judgements, `${form} ${pattern}`).isFree)
}

/** Exemptions of a URL that some application serves outside of the exempted pattern. */
export function wrongExemptions(
  served: readonly string[],
  exemptions: readonly string[],
  pattern: string,
): readonly string[] {
  const isElsewhere = served.some((id) => id !== pattern)
  const wrong = exemptions.filter((form) =>
    forms.of.includes(form) ? isElsewhere : served.includes(pattern),
  )
  return wrong.map((form) => `receives the exemption "${form} ${pattern}"`)
}

function found(judgements: Judgements, name: string): Judged {
  const judged = judgements.get(name)
  if (judged === undefined) throw new Error(`nothing judged by ${name}`)
  return judged
}

/** The key of a request whose parameter cannot be known. */
const unknown = '\0'

/** Watches the keys of requests: those with one value for the router have one key, and those of one file. */
export function createKeyWatch(): (
  app: Application,
  ran: Ran,
  judgements: Judgements,
) => readonly string[] {
  const keysOf = new Map<string, unknown>()

  function watch(value: string, key: unknown): readonly string[] {
    const known = keysOf.get(value) ?? key
    keysOf.set(value, known)
    return known === key ? [] : [`counts as ${String(key)}, and earlier as ${String(known)}`]
  }

  return function watchKeys({ name, knowsParams }, ran, judgements) {
    const { id, param } = ran
    const [, path] = [found(judgements, 'paths').keys.get('path')].flat()
    if (!isRoute(ran)) return path === unknown ? [] : watch(`${name} ${id}`, path)
    if (param === undefined) return []
    const [, key] = [found(judgements, 'keys').keys.get(id)].flat()
    const own = textOf(param)
    if (key === unknown) return own === '' || !knowsParams ? [] : ['has an unknown parameter']
    // Routers that cut off `;parameters` are counted like those that do not, unless the router is known.
    const expected = knowsParams ? [own] : [own, own.replace(/(?<=.);.*/, '')]
    // The lower case of other texts is not that of the rules.
    const isUsual = /^[ -$&-~]+$/.test(own)
    if (isUsual && !expected.includes(String(key)))
      return [`counts as ${String(key)}, not as ${own}`]
    return watch(`${name} ${id} ${own}`, key)
  }
}

function textOf(param: unknown): string {
  const text: unknown = Array.isArray(param) ? param.join('/') : param
  return typeof text === 'string' ? text.toLowerCase() : ''
}
