import type { RulesDocument, ValueDeclaration } from '../document/document.js'
import type { Field } from './context.js'
import type { OwnPath } from './paths/path-match.js'
import { Patterns } from './paths/patterns.js'
import { hostField, paramField, pathField, queryField } from './url-fields.js'
import { fieldOf, valueField } from './value-field.js'

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

/** The fields of a document. Each has one slot, whatever number of rules reads it. */
export class Fields {
  readonly caseSensitive: boolean
  readonly #normal: Patterns
  readonly #exact: Patterns = Patterns.exact()
  readonly #values: Readonly<Record<string, ValueDeclaration>>
  readonly #known = new Map<string, Field>()

  constructor({
    values = {},
    caseSensitive = false,
  }: Pick<RulesDocument, 'values' | 'caseSensitive'>) {
    this.#values = values
    this.caseSensitive = caseSensitive
    this.#normal = Patterns.normal(caseSensitive)
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
    return [...Object.keys(this.#values), ...builtIn, ...families.map((family) => `${family}.NAME`)]
  }

  /** The patterns of paths in normal form, or as they are sent. */
  patterns(exact: boolean): Patterns {
    return exact ? this.#exact : this.#normal
  }

  /** Whether the name is one of a declared value. */
  isValue(name: string): boolean {
    return Object.hasOwn(this.#values, name)
  }

  /**
   * The field of a name. Undefined if there is none, or if it is a parameter and the rule has no path.
   *
   * @param certain whether it has only the text that the client sent, if that has no other meaning
   */
  field(name: string, own: OwnPath, certain: boolean = own.exact): Field | undefined {
    const dot = name.indexOf('.')
    const family = dot === -1 ? name : name.slice(0, dot)
    const member = dot === -1 ? '' : name.slice(dot + 1)
    if (this.isValue(name))
      return this.#once(name, (slot) => valueField(name, slot, this.#values[name]))
    switch (family) {
      case 'method':
        if (dot !== -1) return undefined
        return this.#once(certain ? 'method as sent' : name, (slot) => methodField(slot, certain))
      case 'host':
        return dot === -1 ? this.#once(name, hostField) : undefined
      case 'route':
      case 'ip':
        return dot === -1 ? this.#once(name, (slot) => plainFields[family](slot)) : undefined
      case 'path':
        return dot === -1 ? this.#path(certain) : undefined
      case 'header':
      case 'cookie':
        if (member === '') return undefined
        return family === 'header'
          ? this.#once(name.toLowerCase(), (slot) => headerField(name.toLowerCase(), slot))
          : this.#once(name, (slot) => cookieField(name, slot))
      case 'query':
        if (member === '') return undefined
        return this.#once(name, (slot) => queryField(name, slot))
      case 'param':
        return this.#hasParameter(member, own) ? this.#param(name, own, certain) : undefined
      default:
        return undefined
    }
  }

  #path(exact: boolean): Field {
    return this.#once(exact ? 'path as sent' : 'path', (slot) =>
      pathField(slot, this.patterns(exact), exact, this.caseSensitive),
    )
  }

  /** Whether a pattern of the rule has the parameter. Without this, a misspelled key would leave the rule out of all requests. */
  #hasParameter(parameter: string, { patterns, exact }: OwnPath): boolean {
    const texts = patterns.map((pattern) => this.patterns(exact).patternOf(pattern))
    return texts.some((text) =>
      [...text.matchAll(/(?<!\\):([A-Za-z_]\w*)/g)].some(([, name]) => name === parameter),
    )
  }

  #param(name: string, own: OwnPath, exact: boolean): Field {
    const numbers = exact === own.exact ? own.patterns : own.opposite
    return this.#once(`${name} ${exact} ${numbers.join()}`, (slot) =>
      paramField(name, slot, this.patterns(exact), numbers, exact, this.caseSensitive),
    )
  }

  #once(key: string, make: (slot: number) => Field): Field {
    let known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, (known = make(this.#known.size)))
    return known
  }
}

const plainFields = {
  // Of a mounted router, Express states the prefix as the client spells it.
  route: (slot: number) =>
    fieldOf('route', slot, {
      spell: lower,
      load: ({ facts }) => present(facts.route)?.toLowerCase(),
    }),
  // A request without an address is an error wherever its address counts, as with `byIp`.
  ip: (slot: number) =>
    fieldOf('ip', slot, { type: 'address', load: ({ facts }) => present(facts.ip) }),
}

/** Frameworks answer HEAD by the handler of GET, which does all its work. */
function methodField(slot: number, certain: boolean): Field {
  return fieldOf('method', slot, {
    spell: upper,
    counted: () => 'GET',
    load({ facts }) {
      const method = present(facts.method)?.toUpperCase()
      return method === 'HEAD' && !certain ? headIsGet : method
    },
  })
}

const headIsGet: readonly string[] = ['GET', 'HEAD']

function headerField(name: string, slot: number): Field {
  const header = name.slice('header.'.length)
  return fieldOf(name, slot, {
    secret: true,
    load: ({ facts }) => present(facts.header?.(header)),
  })
}

function cookieField(name: string, slot: number): Field {
  const cookie = name.slice('cookie.'.length)
  return fieldOf(name, slot, {
    secret: true,
    load({ facts }) {
      const found = facts.cookie?.(cookie)
      return typeof found === 'object' && found !== null ? found : present(found)
    },
  })
}

/** Adapters of applications may return anything. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : value
}

function lower(text: string): string {
  return text.toLowerCase()
}

function upper(text: string): string {
  return text.toUpperCase()
}
