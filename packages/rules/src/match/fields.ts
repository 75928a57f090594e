import type { RulesDocument, ValueDeclaration } from '../document/document.js'
import type { Field } from './context.js'
import { Patterns } from './paths/patterns.js'
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

/** The path patterns that a rule requires. They give its parameters. */
export interface OwnPath {
  readonly patterns: readonly number[]
  /** Whether the rule sees the path as the client sent it. */
  readonly exact: boolean
}

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
   * @param certain whether it has only the text that the client sent, and not its other meanings
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
      case 'route':
      case 'host':
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
        return this.#hasParameter(member, own) ? this.#param(name, own) : undefined
      default:
        return undefined
    }
  }

  #path(exact: boolean): Field {
    const patterns = this.patterns(exact)
    const spell = exact || this.caseSensitive ? undefined : lower
    return this.#once(exact ? 'path as sent' : 'path', (slot) =>
      fieldOf('path', slot, {
        type: 'path',
        spell,
        load(context) {
          const readings = context.pathMatch(patterns, exact)?.readings
          return readings === undefined || readings.length > 1 ? readings : readings[0]
        },
      }),
    )
  }

  /** Whether a pattern of the rule has the parameter. Without this, a misspelled key would leave the rule out of all requests. */
  #hasParameter(parameter: string, { patterns, exact }: OwnPath): boolean {
    const texts = patterns.map((pattern) => this.patterns(exact).patternOf(pattern))
    return texts.some((text) =>
      [...text.matchAll(/(?<!\\):([A-Za-z_]\w*)/g)].some(([, name]) => name === parameter),
    )
  }

  #param(name: string, own: OwnPath): Field {
    const patterns = this.patterns(own.exact)
    const key = `${name} ${own.exact} ${own.patterns.join()}`
    const parameter = name.slice('param.'.length)
    return this.#once(key, (slot) =>
      fieldOf(name, slot, {
        load(context) {
          const match = context.pathMatch(patterns, own.exact)
          if (match === undefined) return undefined
          const params = patterns.paramsOf(match, own.patterns)
          return Object.hasOwn(params, parameter) ? present(decoded(params[parameter])) : undefined
        },
      }),
    )
  }

  #once(key: string, make: (slot: number) => Field): Field {
    let known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, (known = make(this.#known.size)))
    return known
  }
}

const plainFields = {
  route: (slot: number) => fieldOf('route', slot, { load: ({ facts }) => present(facts.route) }),
  host: (slot: number) =>
    fieldOf('host', slot, {
      spell: lower,
      load: ({ facts }) => present(hostName(facts.host ?? '')),
    }),
  // A request without an address is an error wherever its address counts, as with `byIp`.
  ip: (slot: number) =>
    fieldOf('ip', slot, { type: 'address', load: ({ facts }) => present(facts.ip) }),
}

/** Frameworks answer HEAD by the handler of GET, which does all its work. */
function methodField(slot: number, certain: boolean): Field {
  return fieldOf('method', slot, {
    spell: upper,
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

function queryField(name: string, slot: number): Field {
  const parameter = name.slice('query.'.length)
  return fieldOf(name, slot, {
    load(context) {
      const values = context.query.valuesOf(parameter)
      return values.length > 1 ? values : values[0]
    },
  })
}

/** Adapters of applications may return anything. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : value
}

/** The name without the port and the dot of a fully qualified name. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/** A parameter of a path. Spellings that differ in encoding are one value. */
function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter)
  } catch {
    return parameter
  }
}

function upper(text: string): string {
  return text.toUpperCase()
}

function lower(text: string): string {
  return text.toLowerCase()
}
