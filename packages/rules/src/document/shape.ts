import { ZodObject, type core, type ZodType } from 'zod'
import type { Place } from './findings.js'
import type { Path } from './syntax.js'

/** Checks the shape of a part of a document. Undefined if it is wrong; the findings then say why. */
export function shaped<T>(shape: ZodType<T>, value: unknown, place: Place): T | undefined {
  const known = new Map<readonly string[], readonly string[]>()
  const result = shape.safeParse(value, {
    error(issue) {
      // Only this callback receives the schema of an issue, which contains the known words.
      if (issue.code === 'unrecognized_keys') known.set(issue.keys, knownWords(issue.inst))
      // Messages of zod are not shown, only those of the schema.
      return ''
    },
  })
  const dropped = protoIn(value, place)
  if (dropped !== undefined) return dropped.error('SLUICE_RULES_OPTION_UNKNOWN', '__proto__', [])
  if (result.success) return result.data
  for (const issue of independent(result.error.issues)) report(issue, value, place, known)
  return undefined
}

/** The path of a member `__proto__`. The schemas would drop it, and a predicate or an override of that name would silently be ignored. */
function protoIn(value: unknown, place: Place): Place | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const own = place.at(Array.isArray(value) ? Number(name) : name)
    if (name === '__proto__') return own
    // Rules are checked one by one.
    const found = place.path.length === 0 && name === 'rules' ? undefined : protoIn(member, own)
    if (found !== undefined) return found
  }
  return undefined
}

type Issue = core.$ZodIssue

function report(
  issue: Issue,
  root: unknown,
  base: Place,
  known: ReadonlyMap<readonly string[], readonly string[]>,
): void {
  const own = issue.path.filter((step) => typeof step !== 'symbol')
  const place = base.at(...own)
  const value = valueAt(root, own)
  if (issue.code === 'unrecognized_keys') {
    const words = known.get(issue.keys) ?? []
    for (const word of issue.keys) {
      place.at(word).unknown(word, words, 'SLUICE_RULES_OPTION_UNKNOWN', word, words)
    }
    return
  }
  if (issue.code === 'invalid_union') {
    const stray = strayWord(issue.errors, known)
    if (stray !== undefined) {
      const [word, words] = stray
      place.at(word).unknown(word, words, 'SLUICE_RULES_OPTION_UNKNOWN', word, words)
      return
    }
    const closest = closestBranch(issue.errors, value)
    if (closest !== undefined) {
      for (const inner of independent(closest)) report(inner, value, place, known)
      return
    }
  }
  const word = own.at(-1)
  if (value === undefined && typeof word === 'string') {
    base.at(...own.slice(0, -1)).error('SLUICE_RULES_OPTION_MISSING', word, expectedOf(issue))
    return
  }
  const expected = expectedOf(issue)
  const isQuoted = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
  const advice =
    isQuoted && /^a (?:whole )?number\b/.test(expected) ? 'the number without quotes' : expected
  place.error('SLUICE_RULES_OPTION_INVALID', value, advice)
}

/** The mistakes except the missing members of an object with an unknown member, which is probably a misspelling of the missing one. */
function independent(issues: readonly Issue[]): readonly Issue[] {
  const misspelled = issues.filter(({ code }) => code === 'unrecognized_keys')
  return issues.filter(
    ({ code, path }) =>
      code !== 'custom' || !misspelled.some((other) => other.path.join() === path.join()),
  )
}

/** The member that is unknown in all alternatives, and the members that are known in one of them. */
function strayWord(
  branches: readonly (readonly Issue[])[],
  known: ReadonlyMap<readonly string[], readonly string[]>,
): readonly [string, readonly string[]] | undefined {
  const objects = branches.filter((issues) => !hasOtherForm(issues)).map(strayKeys)
  const word = objects[0]?.find((key) => objects.every((keys) => keys.includes(key)))
  if (word === undefined || objects.length < 2) return undefined
  return [word, [...new Set(objects.flatMap((keys) => known.get(keys) ?? []))]]
}

function strayKeys(issues: readonly Issue[]): readonly string[] {
  const own = issues.find(({ code, path }) => code === 'unrecognized_keys' && path.length === 0)
  return own?.code === 'unrecognized_keys' ? own.keys : []
}

/**
 * The alternative with the right form, whose mistakes are inside of it. Undefined if all forms are wrong. An alternative with a missing member is
 * less probable than one without.
 */
function closestBranch(
  branches: readonly (readonly Issue[])[],
  value?: unknown,
): readonly Issue[] | undefined {
  const candidates = branches.filter((issues) => issues.length > 0 && !hasOtherForm(issues))
  return candidates.toSorted(
    (a, b) => Number(lacksMember(a, value)) - Number(lacksMember(b, value)) || a.length - b.length,
  )[0]
}

function hasOtherForm(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.path.length === 0 && isForm(issue))
}

function lacksMember(issues: readonly Issue[], value: unknown): boolean {
  return issues.some(({ code, path }) => {
    const own = path.filter((step) => typeof step !== 'symbol')
    return code === 'invalid_type' && own.length === 1 && valueAt(value, own) === undefined
  })
}

function isForm(issue: Issue): boolean {
  if (issue.code === 'invalid_union') return closestBranch(issue.errors) === undefined
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

function expectedOf(issue: Issue): string {
  if (issue.message !== '') return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return words[issue.expected] ?? `a ${issue.expected}`
    case 'invalid_value':
      return issue.values.map(String).join(' or ')
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty'
      return issue.origin === 'array' ? 'at least one entry' : `${issue.minimum} or more`
    case 'too_big':
      return `${issue.maximum} or less`
    case 'invalid_key':
      return issue.issues.map(expectedOf).join(', ')
    case 'invalid_union': {
      const forms = issue.errors.flat().filter((inner) => inner.path.length === 0)
      return [...new Set(forms.map(expectedOf))].join(', or ')
    }
    default:
      return 'another value'
  }
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function knownWords(schema: core.$ZodType | core.$ZodCheck | undefined): readonly string[] {
  const shape: unknown = schema instanceof ZodObject ? schema.shape : undefined
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}
