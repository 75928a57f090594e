import type { RulesDocument, ValueDeclaration } from '../document/document.js'
import { rulesError } from '../errors.js'
import { valueTraits } from './declared-value.js'
import { hostNames } from './hosts.js'
import { countedParameter, unknown } from './parameter.js'
import { canonicalPath, folded } from './paths/spelling.js'
import type { Field, Request } from './reading.js'
import { anything, Failure, Several, type Value } from './value.js'

/** The path patterns that a rule requires. They give its parameters. */
export type OwnPatterns = readonly number[]

const builtIn = ['method', 'path', 'route', 'host', 'ip', 'during'] as const
const families = ['header', 'query', 'cookie', 'param'] as const

/** Words that cannot be names of values, because they have another meaning in the same positions. */
export const reservedNames: readonly string[] = [
  ...builtIn,
  ...families,
  'any',
  'all',
  'not',
  'schedule',
  'url',
  'headers',
  'cookies',
]

type Traits = Partial<Omit<Field, 'name' | 'slot'>>

/** The fields of a document. Each has one slot, whatever number of rules reads it. */
export class Fields {
  readonly caseSensitive: boolean
  readonly #values: Readonly<Record<string, ValueDeclaration>>
  readonly #known = new Map<string, Field>()

  constructor({
    values = {},
    caseSensitive = false,
  }: Pick<RulesDocument, 'values' | 'caseSensitive'>) {
    this.#values = values
    this.caseSensitive = caseSensitive
  }

  /** The number of slots that a request needs. */
  get slots(): number {
    return this.#known.size
  }

  /** The names of the declared values. */
  get values(): readonly string[] {
    return Object.keys(this.#values)
  }

  /** All names, for suggestions. */
  get names(): readonly string[] {
    return [...this.values, ...builtIn, ...families.map((family) => `${family}.NAME`)]
  }

  /** Whether the name is one of a declared value. */
  isValue(name: string): boolean {
    return Object.hasOwn(this.#values, name)
  }

  /**
   * The field of a name. Undefined if there is none, or if it is a parameter that the patterns of its rule do not have: a misspelled key would leave the
   * rule out of all requests.
   */
  field(name: string, own: OwnPatterns, parameters: ReadonlySet<string>): Field | undefined {
    if (this.isValue(name)) return this.#once(name, () => valueTraits(name, this.#values[name]))
    const [family, member] = partsOf(name)
    const hasMember = families.some((known) => known === family)
    if (hasMember !== (member !== undefined) || member === '') return undefined
    if (family === 'param') {
      if (!parameters.has(member ?? '')) return undefined
      return this.#once(`${name} ${own.join()}`, () => this.#param(member ?? '', own), name)
    }
    const key = family === 'header' ? name.toLowerCase() : name
    const traits = family === 'path' ? () => this.#path() : traitsOf[family]
    return traits && this.#once(key, () => traits(partsOf(key)[1] ?? ''))
  }

  #path(): Traits {
    const { caseSensitive } = this
    return {
      type: 'path',
      spell: (text) => canonicalPath(text, caseSensitive),
      ignoresCase: !caseSensitive,
      inPath: ({ text }) => text,
      // The normal form, which is the same for all spellings that some server takes for one path.
      counted({ paths: { all } }) {
        if (all.length === 1 && all[0].text !== anything) return all[0].text
        return all.map(({ text }) => text).find((text) => typeof text === 'string') ?? unknown
      },
    }
  }

  /**
   * A parameter of the path. Spellings that differ in encoding are one value. Routers keep the letter case, and applications may ignore it, as for the names
   * of users: an exemption compares the parameter as the client sent it, and a limit in any letter case.
   */
  #param(parameter: string, own: OwnPatterns): Traits {
    const { caseSensitive } = this
    return {
      spell: caseSensitive ? undefined : folded,
      inPath: (path) => path.param(parameter, own),
      counted: (request) => countedParameter(request, parameter, own, caseSensitive),
    }
  }

  #once(key: string, traits: () => Traits, name = key): Field {
    let known = this.#known.get(key)
    if (known === undefined) {
      known = fieldOf(name, this.#known.size, traits())
      this.#known.set(key, known)
    }
    return known
  }
}

function partsOf(name: string): readonly [string, string | undefined] {
  const dot = name.indexOf('.')
  return dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)]
}

/** Makes a field: a text that may be absent, if its traits say nothing else. */
function fieldOf(name: string, slot: number, traits: Traits): Field {
  const { spell, load, counted, ignoresCase = spell !== undefined } = traits
  const field: Field = {
    name,
    slot,
    type: traits.type ?? 'text',
    oneOf: traits.oneOf,
    required: traits.required ?? false,
    secret: traits.secret ?? false,
    isExact: traits.isExact ?? traits.inPath !== undefined,
    spell,
    ignoresCase,
    check: traits.check,
    inPath: traits.inPath,
    load(request) {
      if (traits.check !== undefined) throw new Error('a value is read before it is asked for')
      return load?.(request)
    },
    counted: counted ?? ((request) => countedValue(field, request)),
  }
  return field
}

function countedValue(field: Field, request: Request): Value {
  const slot = request.peek(field)
  if (slot instanceof Failure) throw slot.error
  if (!(slot instanceof Several) && slot !== anything) return slot
  if (slot instanceof Several && slot.counted !== undefined) return slot.counted
  // With another value in each request, a client would have a new count each time.
  const expected = 'a single value that all frameworks read in the same way'
  const value = slot === anything ? slot : slot.values
  throw rulesError('SLUICE_RULES_VALUE_INVALID', field.name, value, expected)
}

const traitsOf: Readonly<Record<string, ((member: string) => Traits) | undefined>> = {
  method: () => ({
    spell: (text) => text.toUpperCase(),
    load: ({ facts }) => present(facts.method)?.toUpperCase(),
    counted: ({ facts }) => isHead(present(facts.method)?.toUpperCase()),
  }),
  // Of a mounted router, Express states the prefix as the client spells it. A router can distinguish letter case, so that an exemption has to name the very route.
  route: () => ({
    spell: (text) => text.toLowerCase(),
    isExact: true,
    load: ({ facts }) => present(facts.route),
    counted: ({ facts }) => present(facts.route)?.toLowerCase(),
  }),
  // A request without an address is an error wherever its address counts, as with `byIp`.
  ip: () => ({ type: 'address', load: ({ facts }) => present(facts.ip) }),
  host: () => ({
    spell: (text) => text.toLowerCase(),
    load({ facts: { host } }) {
      // Adapters of applications may return anything.
      const names = hostNames(typeof host === 'string' ? [host] : (host ?? []))
      // That of the framework comes first, and counts.
      return names.length > 1
        ? new Several(names, names.find((name) => name !== '') ?? unknown)
        : names[0]
    },
  }),
  header: (name) => ({ secret: true, load: ({ facts }) => present(facts.header?.(name)) }),
  cookie: (name) => ({
    secret: true,
    load({ facts }) {
      const found = facts.cookie?.(name)
      return typeof found === 'object' && found !== null ? new Several(found) : present(found)
    },
  }),
  query: (name) => ({ load: ({ query }) => query.get(name) }),
}

/** Frameworks answer HEAD by the handler of GET, which does all its work. */
function isHead(method: string | undefined): string | undefined {
  return method === 'HEAD' ? 'GET' : method
}

/** Adapters of applications may return anything. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : value
}
