import { addRoute, createRouter, findAllRoutes, findRoute } from 'rou3'
import { RecentMap } from '../recent-map.js'
import { clearPath } from './clear.js'
import { joined, type ParamSource, type PathMatch } from './path-match.js'
import { onlyPath, pathReadings, type PathReadings } from './readings.js'
import { canonicalPattern } from './spelling.js'

type Router = ReturnType<typeof createRouter<number>>
type SingleRouter = ReturnType<typeof createRouter<boolean>>

/** Longer URLs are matched again for each request: a cached key keeps the whole URL in memory. */
const longestCached = 1024

/** All patterns of a document. One search finds those that a path fits, and the searches for recent paths are cached. */
export class Patterns {
  readonly #patterns: string[] = []
  /** By their texts as they are written, and as they are matched. */
  readonly #numbers = new Map<string, number>()
  readonly #router: Router = createRouter()
  readonly #single = new Map<number, SingleRouter>()
  readonly #isExact: boolean
  readonly #caseSensitive: boolean
  #indexes = 0
  #everything: Pick<PathMatch, 'fits' | 'rules'> | undefined
  readonly #recent = new RecentMap<string, PathMatch | typeof none>(1000)

  private constructor(isExact: boolean, caseSensitive: boolean) {
    this.#isExact = isExact
    this.#caseSensitive = caseSensitive
  }

  /** Patterns for all paths that a URL can mean. */
  static normal(caseSensitive: boolean): Patterns {
    return new Patterns(false, caseSensitive)
  }

  /** Patterns for paths as they were sent, if these can mean nothing else. */
  static exact(): Patterns {
    return new Patterns(true, true)
  }

  /**
   * Adds a pattern and returns its number. Equal patterns have one number.
   *
   * @throws Error with the problem if it is not a pattern
   */
  add(pattern: string): number {
    const added = this.#numbers.get(pattern)
    if (added !== undefined) return added
    const number = this.#added(pattern)
    this.#numbers.set(pattern, number)
    return number
  }

  #added(pattern: string): number {
    if (!pattern.startsWith('/')) throw new Error('a pattern begins with "/"')
    if (/(?<!\\)(?:\\\\)*\(/.test(pattern)) {
      throw new Error('regular expressions have no place in it; use another predicate beside it')
    }
    if (pattern.split('/').some(hasStrangeWildcard)) {
      throw new Error(
        'it contains "*" or "{…}" in a form that is not supported. Write ":name" for a segment, or "/**" for the rest',
      )
    }
    const spelled = this.#isExact ? pattern : canonicalPattern(pattern, this.#caseSensitive)
    const known = this.#numbers.get(spelled)
    if (known !== undefined) return known
    const forms = this.#isExact ? [] : withoutParts(spelled)
    try {
      for (const form of [spelled, ...forms])
        addRoute(this.#router, '', form, this.#patterns.length)
    } catch (error) {
      throw new Error(problemOf(error), { cause: error })
    }
    this.#numbers.set(spelled, this.#patterns.length)
    return this.#patterns.push(spelled) - 1
  }

  /** The position of a further index in `PathMatch.rules`. */
  addIndex(): number {
    return this.#indexes++
  }

  /** The pattern of a number, as it is matched. */
  patternOf(number: number): string {
    return this.#patterns[number]
  }

  /**
   * Finds the patterns of a URL. Undefined if the path as it was sent counts, and it can mean something else.
   *
   * @param other the URL that the framework routes in its place
   */
  match(url: string, other?: string): PathMatch | undefined {
    const match = this.#matchOne(url)
    if (other === undefined || match === undefined) return match
    const second = this.#matchOne(other)
    return second && joined(match, second, this.#isExact ? [match, second] : undefined)
  }

  #matchOne(url: string): PathMatch | undefined {
    if (url.length > longestCached) return this.#search(url)
    const recent = this.#recent.get(url)
    if (recent !== undefined) return recent === none ? undefined : recent
    const match = this.#search(url)
    // The readings of a long URL can be as long as many URLs.
    const { length } = match?.all ?? []
    if (url.length * length <= longestCached) this.#recent.set(url, match ?? none)
    return match
  }

  /** The values of a parameter in all paths that fit one of its patterns. The paths of routers come first, and empty values last. */
  valuesOf(match: PathMatch, source: ParamSource): readonly string[] {
    const known = match.params?.get(source)
    if (known !== undefined) return known
    const { all, routed, fits } = match
    const numbers = source.numbers.filter((number) => fits.has(number))
    const values = new Set<string>()
    for (const path of all.length === 1 ? all : [...routed, ...all]) {
      const value = this.#valueIn(path, numbers, source.parameter)
      if (value !== undefined) values.add(value)
    }
    if (values.size > 1 && values.delete(empty)) values.add(empty)
    const found = [...values]
    match.params ??= new Map<ParamSource, readonly string[]>()
    match.params.set(source, found)
    return found
  }

  /** Whether each of the paths fits one of these patterns. */
  fitAll({ all }: PathMatch, numbers: readonly number[]): boolean {
    return all.every((path) =>
      numbers.some((number) => findRoute(this.#routerOf(number), '', path) !== undefined),
    )
  }

  #valueIn(path: string, numbers: readonly number[], parameter: string): string | undefined {
    for (const number of numbers) {
      const found = findRoute(this.#routerOf(number), '', path)
      if (found === undefined) continue
      const { params, data: isWhole } = found
      if (params !== undefined && Object.hasOwn(params, parameter))
        return decodeURIComponent(params[parameter])
      return isWhole ? undefined : empty
    }
    return undefined
  }

  /** The router of one pattern. It finds whether the whole pattern fits, or one without some of its parameters. */
  #routerOf(number: number): SingleRouter {
    let router = this.#single.get(number)
    if (router === undefined) {
      router = createRouter<boolean>()
      const pattern = this.#patterns[number]
      addRoute(router, '', pattern, true)
      if (!this.#isExact) {
        for (const form of withoutParts(pattern)) addRoute(router, '', form, false)
      }
      this.#single.set(number, router)
    }
    return router
  }

  #search(url: string): PathMatch | undefined {
    const readings = this.#read(url)
    if (readings === undefined) return undefined
    const { all, routed, isAny } = readings
    const found = isAny ? this.#allPatterns() : { fits: this.#findAll(all), rules: [] }
    const { fits, rules } = found
    return { all, routed, isAny, fits, rules, params: undefined, parts: undefined }
  }

  #read(url: string): PathReadings | undefined {
    if (!this.#isExact) return pathReadings(url, this.#caseSensitive)
    const path = clearPath(url)
    return path === undefined ? undefined : onlyPath(path)
  }

  /** The patterns of a URL that can mean any path: all of them. */
  #allPatterns(): Pick<PathMatch, 'fits' | 'rules'> {
    return (this.#everything ??= { fits: new Set(this.#patterns.keys()), rules: [] })
  }

  #findAll([path, ...others]: PathReadings['all']): ReadonlySet<number> {
    const found = new Set(this.#find(path))
    for (const other of others) for (const number of this.#find(other)) found.add(number)
    return found
  }

  #find(path: string): readonly number[] {
    return findAllRoutes(this.#router, '', path, { params: false }).map(({ data }) => data)
  }
}

/**
 * Whether a segment has a wildcard that rou3 does not read as it looks: `/api/*` fits `/api` and `/api/a/b` as well, `/*.js` fits `/a/b.js`, and `{id}` is
 * the text `id`. A backslash makes each of these characters a plain one.
 */
function hasStrangeWildcard(segment: string): boolean {
  const bare = segment.replace(/\\./g, '')
  return /[*{}]/.test(bare) && !/^(?:\*\*(?::[A-Za-z_]\w*)?|:[A-Za-z_]\w*\*)$/.test(bare)
}

const none: unique symbol = Symbol('no exact path')

/** The value of an empty parameter. */
const empty = '\0'

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^rou3: /, '') : String(error)
}

/**
 * The forms of a pattern without parameters that are parts of segments: Fastify takes `/img/.png` for `/img/:name.png` with an empty name, and Fastify 4 also
 * `/img/`. In the readings of a path, an empty segment is `%00`, which a parameter that is a whole segment fits by itself.
 */
function withoutParts(pattern: string): readonly string[] {
  let forms = ['']
  for (const segment of pattern.slice(1).split('/')) {
    const all = whole.test(segment) ? [segment] : formsOf(segment)
    forms = forms.flatMap((form) => all.map((one) => `${form}/${one}`)).slice(0, mostForms)
  }
  return forms.filter((form) => form !== pattern)
}

const mostForms = 32

const whole = /^(?::[A-Za-z_]\w*[*+?]?|\*\*.*|[^:]*)$/

/** A segment with and without each of its parameters, the segment itself first, and the empty one. */
function formsOf(segment: string): readonly string[] {
  let forms = ['']
  for (const [i, part] of segment.split(parameter).entries()) {
    forms = forms.flatMap((form) => (i % 2 === 1 ? [form + part, form] : [form + part]))
  }
  return [...forms, '%00']
}

const parameter = /((?<!\\):[A-Za-z_]\w*\??)/
