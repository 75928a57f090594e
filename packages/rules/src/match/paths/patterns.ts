import { addRoute, createRouter, findAllRoutes, findRoute } from 'rou3'
import { normalPattern, plainPath } from './path.js'
import { pathReadings } from './readings.js'
import { RecentMap } from '../recent-map.js'

/** The path of a request, and the patterns that it fits. */
export interface PathMatch {
  /** All paths that the URL can mean, the normal form first. */
  readonly readings: readonly [string, ...string[]]
  /** The numbers of the patterns. */
  readonly fits: ReadonlySet<number>
  /** The rules whose patterns these are, for each index; computed once. */
  readonly rules: (readonly number[] | undefined)[]
}

type Router = ReturnType<typeof createRouter<number>>

/** Longer URLs are matched again for each request: a cached key keeps the whole URL in memory. */
const longestCached = 1024

/** All patterns of a document. One search finds those that a path fits, and the searches for recent paths are cached. */
export class Patterns {
  readonly #patterns: string[] = []
  /** By their texts as they are written, and as they are matched. */
  readonly #numbers = new Map<string, number>()
  readonly #router: Router = createRouter()
  readonly #single = new Map<number, Router>()
  readonly #spell: (pattern: string) => string
  readonly #read: (url: string) => readonly string[]
  #indexes = 0
  readonly #recent = new RecentMap<string, PathMatch | typeof none>(1000)

  private constructor(
    spell: (pattern: string) => string,
    read: (url: string) => readonly string[],
  ) {
    this.#spell = spell
    this.#read = read
  }

  /** Patterns for normal paths. */
  static normal(caseSensitive: boolean): Patterns {
    return new Patterns(
      (pattern) => normalPattern(pattern, caseSensitive),
      (url) => pathReadings(url, caseSensitive),
    )
  }

  /** Patterns for paths as they were sent. */
  static exact(): Patterns {
    return new Patterns((pattern) => pattern, exactReading)
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
    const spelled = this.#spell(pattern)
    const known = this.#numbers.get(spelled)
    if (known !== undefined) return known
    try {
      addRoute(this.#router, '', spelled, this.#patterns.length)
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

  /** Undefined if an exact path is needed and the client spelled it otherwise. */
  match(url: string): PathMatch | undefined {
    if (url.length > longestCached) return this.#search(url)
    const recent = this.#recent.get(url)
    if (recent !== undefined) return recent === none ? undefined : recent
    const match = this.#search(url)
    this.#recent.set(url, match ?? none)
    return match
  }

  /** The parameters of a path that fits one of these patterns, those of the first that it fits. */
  paramsOf({ readings, fits }: PathMatch, patterns: readonly number[]): Record<string, string> {
    const number = patterns.find((pattern) => fits.has(pattern))
    if (number === undefined) return {}
    const router = this.#routerOf(number)
    for (const path of readings) {
      const found = findRoute(router, '', path)
      if (found !== undefined) return found.params ?? {}
    }
    return {}
  }

  #routerOf(number: number): Router {
    let router = this.#single.get(number)
    if (router === undefined) {
      router = createRouter<number>()
      addRoute(router, '', this.#patterns[number], number)
      this.#single.set(number, router)
    }
    return router
  }

  #search(url: string): PathMatch | undefined {
    const [path, ...others] = this.#read(url)
    if (path === undefined) return undefined
    const fits = new Set(this.#find(path))
    for (const other of others) for (const number of this.#find(other)) fits.add(number)
    return { readings: [path, ...others], fits, rules: [] }
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

function exactReading(url: string): readonly string[] {
  const path = plainPath(url)
  return path === undefined ? [] : [path]
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^rou3: /, '') : String(error)
}
