import type { Slices } from '../../slices.js'
import type { Condition } from '../predicates/conditions.js'
import type { RequestContext } from '../context.js'
import type { Patterns } from '../paths/patterns.js'
import { chooseAnchors } from './anchors.js'
import { Filing, type Posting, type Postings, type Source } from './sources.js'

/** A rule, for the index. */
export interface Indexed {
  readonly number: number
  readonly conditions: readonly Condition[]
}

/**
 * Finds the rules that may match a request. Each rule is filed under one condition that has to hold for it, the one that the fewest other rules share.
 * Rules without such a condition are candidates for every request.
 */
export class CandidateIndex<R extends Indexed> {
  readonly #rules: readonly (R | undefined)[]
  readonly #start: Start
  readonly #sources: readonly Source[]

  private constructor(rules: readonly R[], sources: readonly Source[], always: Posting) {
    const byNumber: (R | undefined)[] = []
    for (const rule of rules) byNumber[rule.number] = rule
    // Without holes, which make arrays slow.
    this.#rules = Array.from(byNumber)
    this.#sources = sources
    this.#start = startWith(always, sources.length)
  }

  /** Builds the index of rules. */
  static *build<R extends Indexed>(
    rules: readonly R[],
    patternsOf: (exact: boolean) => Patterns,
  ): Slices<CandidateIndex<R>> {
    const { always, anchored } = yield* chooseAnchors(rules)
    const filing = new Filing()
    for (const [number, anchor] of anchored) {
      filing.add(number, anchor)
      yield
    }
    const sources = filing.sources(patternsOf).toSorted((a, b) => a.first - b.first)
    return new CandidateIndex(rules, sources, always)
  }

  /** A search for the candidates of a request. */
  search(context: RequestContext): Search<R> {
    return new Search(this.#rules, this.#sources, this.#start, context)
  }
}

/** The postings with which a search starts, in rows with room for one of each source. A copy of a row has just that size. */
interface Start {
  readonly postings: readonly Posting[]
  readonly positions: readonly number[]
}

function startWith(always: Posting, sources: number): Start {
  const room = Array.from({ length: sources })
  return { postings: [always, ...room.map(() => noRules)], positions: [0, ...room.map(() => 0)] }
}

const noRules: Posting = []

/** The candidates of one request, in the order of the document, each once. Sources are opened when the search comes to their first rule. */
export class Search<R> implements Postings {
  readonly #rules: readonly (R | undefined)[]
  readonly #sources: readonly Source[]
  readonly #context: RequestContext
  readonly #postings: Posting[]
  readonly #positions: number[]
  #opened = 0
  #count = 1

  constructor(
    rules: readonly (R | undefined)[],
    sources: readonly Source[],
    start: Start,
    context: RequestContext,
  ) {
    this.#rules = rules
    this.#sources = sources
    this.#context = context
    this.#postings = start.postings.slice()
    this.#positions = start.positions.slice()
  }

  add(posting: Posting | undefined): void {
    if (posting === undefined) return
    // A source can add several postings, for several values.
    if (this.#count === this.#postings.length) this.#positions.push(0)
    this.#postings[this.#count++] = posting
  }

  /** The next candidate. */
  next(): R | undefined {
    let least = this.#least()
    while (this.#opened < this.#sources.length && this.#sources[this.#opened].first <= least) {
      this.#sources[this.#opened].find(this.#context, this)
      this.#opened++
      least = this.#least()
    }
    if (least === Infinity) return undefined
    for (let i = 0; i < this.#count; i++) {
      if (this.#postings[i][this.#positions[i]] === least) this.#positions[i]++
    }
    return this.#rules[least]
  }

  #least(): number {
    let least = Infinity
    for (let i = 0; i < this.#count; i++) {
      const head = this.#postings[i][this.#positions[i]]
      if (head !== undefined && head < least) least = head
    }
    return least
  }
}
