import { addRoute, createRouter, findAllRoutes, findRoute } from 'rou3'
import { reasonOf } from '../../errors/quoting.js'
import { anything } from '../value.js'
import { RecentMap } from '../recent-map.js'
import { clearPath } from './clear.js'
import { pathReadings } from './readings.js'
import type { Routes } from './routes.js'
import { canonicalPattern } from './spelling.js'

/** A path that a request can mean, and the patterns that it fits. */
export interface PathReading {
  /** Undefined: none. */
  readonly text: string | typeof anything | undefined
  /** The numbers of the patterns. */
  readonly fits: ReadonlySet<number>
  /** The path as the client sent it, in which exemptions look. It fits nothing if servers can read it in several ways. */
  readonly sent: PathReading
  /** The value of a parameter of one of these patterns. */
  param(name: string, patterns: readonly number[]): string | typeof anything | undefined
}

/** All paths that a URL can mean. */
export interface Paths {
  /** The normal form first. */
  readonly all: readonly [PathReading, ...PathReading[]]
  /** The paths of routers, which resolve nothing. */
  readonly routed: readonly PathReading[]
}

/** Those of a request, whose framework may route another URL than the client sent. */
export function pathsOf(url: string, routes: () => Routes, patterns: Patterns): Paths {
  if (url === '') return noPaths
  const { target, other } = routes()
  const own = patterns.pathsOf(target, url)
  if (other === undefined) return own
  const second = patterns.pathsOf(other, other)
  return { all: [...own.all, ...second.all], routed: [...second.routed, ...own.routed] }
}

type Router = ReturnType<typeof createRouter<number>>

/** Longer URLs are matched again for each request: a cached key keeps the whole URL in memory. */
const longestCached = 1024

/** All patterns of a document. One search finds those that a path fits, and the searches for recent paths are cached. */
export class Patterns {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #spelled: string[] = []
  readonly #normal: Router = createRouter()
  readonly #exact: Router = createRouter()
  readonly #single = new Map<string, ReturnType<typeof createRouter<boolean>>>()
  readonly #caseSensitive: boolean
  readonly #recent = new RecentMap<string, Paths>(1000)

  constructor(caseSensitive: boolean) {
    this.#caseSensitive = caseSensitive
  }

  /**
   * Adds a pattern and returns its number. Equal patterns have one number.
   *
   * @throws Error with the problem if it is not a pattern
   */
  add(pattern: string): number {
    const known = this.#numbers.get(pattern)
    if (known !== undefined) return known
    if (!pattern.startsWith('/')) throw new Error('a pattern begins with "/"')
    if (/(?<!\\)(?:\\\\)*\(/.test(pattern)) {
      throw new Error('regular expressions have no place in it; use another predicate beside it')
    }
    if (pattern.split('/').some(hasStrangeWildcard)) {
      throw new Error(
        'it contains "*" or "{…}" in a form that is not supported. Write ":name" for a segment, or "/**" for the rest',
      )
    }
    const number = this.#texts.length
    const spelled = canonicalPattern(pattern, this.#caseSensitive)
    try {
      for (const form of [spelled, ...withoutParts(spelled)])
        addRoute(this.#normal, '', form, number)
      addRoute(this.#exact, '', pattern, number)
    } catch (error) {
      throw new Error(reasonOf(error).replace(/^rou3: /, ''), { cause: error })
    }
    this.#numbers.set(pattern, number)
    this.#spelled.push(spelled)
    return this.#texts.push(pattern) - 1
  }

  /** The pattern of a number, as it is matched. */
  textOf(number: number, isExact: boolean): string {
    return (isExact ? this.#texts : this.#spelled)[number]
  }

  /** @param sent the URL as the client sent it */
  pathsOf(url: string, sent: string): Paths {
    // A key stands for one URL.
    if (url.length > longestCached || url !== sent) return this.#search(url, sent)
    const recent = this.#recent.get(url)
    if (recent !== undefined) return recent
    const paths = this.#search(url, sent)
    // The readings of a long URL can be as long as many URLs.
    if (url.length * paths.all.length <= longestCached) this.#recent.set(url, paths)
    return paths
  }

  #search(url: string, sentUrl: string): Paths {
    const { all, routed, isAny } = pathReadings(url, this.#caseSensitive)
    const clear = clearPath(sentUrl)
    const sent =
      clear === undefined ? noPath : new KnownPath(this, clear, this.#find(this.#exact, clear))
    if (isAny) return { all: [anyPath(sent)], routed: [] }
    const readings = new Map(
      all.map((text) => [text, new KnownPath(this, text, this.#find(this.#normal, text), sent)]),
    )
    const [first, ...others] = readings.values()
    return { all: [first, ...others], routed: routed.flatMap((text) => readings.get(text) ?? []) }
  }

  #find(router: Router, path: string): ReadonlySet<number> {
    return new Set(findAllRoutes(router, '', path, { params: false }).map(({ data }) => data))
  }

  valueIn(
    path: string,
    numbers: readonly number[],
    parameter: string,
    isExact: boolean,
  ): string | undefined {
    for (const number of numbers) {
      const found = findRoute(this.#routerOf(number, isExact), '', path)
      if (found === undefined) continue
      const { params, data: isWhole } = found
      if (params !== undefined && Object.hasOwn(params, parameter))
        return decodeURIComponent(params[parameter])
      return isWhole ? undefined : empty
    }
    return undefined
  }

  /** The router of one pattern. It finds whether the whole pattern fits, or one without some of its parameters. */
  #routerOf(number: number, isExact: boolean): ReturnType<typeof createRouter<boolean>> {
    const key = `${number} ${isExact}`
    let router = this.#single.get(key)
    if (router === undefined) {
      router = createRouter<boolean>()
      const pattern = this.textOf(number, isExact)
      addRoute(router, '', pattern, true)
      for (const form of isExact ? [] : withoutParts(pattern)) addRoute(router, '', form, false)
      this.#single.set(key, router)
    }
    return router
  }
}

class KnownPath implements PathReading {
  readonly text: string
  readonly fits: ReadonlySet<number>
  readonly sent: PathReading
  readonly #patterns: Patterns
  readonly #params = new Map<string, string | undefined>()

  /** @param sent by default this path, which then fits patterns as they are written */
  constructor(patterns: Patterns, text: string, fits: ReadonlySet<number>, sent?: PathReading) {
    this.#patterns = patterns
    this.text = text
    this.fits = fits
    this.sent = sent ?? this
  }

  param(name: string, numbers: readonly number[]): string | undefined {
    const key = `${numbers.join()} ${name}`
    if (!this.#params.has(key)) {
      const fitting = numbers.filter((number) => this.fits.has(number))
      const isExact = this.sent === this
      this.#params.set(key, this.#patterns.valueIn(this.text, fitting, name, isExact))
    }
    return this.#params.get(key)
  }
}

const noPath: PathReading = {
  text: undefined,
  fits: new Set(),
  get sent() {
    return noPath
  },
  param: () => undefined,
}

/** The reading of a URL that can mean any path. */
export function anyPath(sent: PathReading): PathReading {
  return { text: anything, fits: new Set(), sent, param: () => anything }
}

const noPaths: Paths = { all: [noPath], routed: [] }

/**
 * Whether a segment has a wildcard that rou3 does not read as it looks: `/api/*` fits `/api` and `/api/a/b` as well, `/*.js` fits `/a/b.js`, and `{id}` is
 * the text `id`. A backslash makes each of these characters a plain one.
 */
function hasStrangeWildcard(segment: string): boolean {
  const bare = segment.replace(/\\./g, '')
  return /[*{}]/.test(bare) && !/^(?:\*\*(?::[A-Za-z_]\w*)?|:[A-Za-z_]\w*\*)$/.test(bare)
}

/** The value of an empty parameter. */
const empty = '\0'

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
