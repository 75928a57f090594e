import { writeFields, type HeaderField, type ResponseHeaders } from '@sluice/core/http'

const shared = new WeakMap<object, SharedHeaders>()

/**
 * The rate limit headers of one response whose limits are checked several times: a GraphQL operation calls a method for each alias. Each limit writes its
 * latest headers in place of its earlier ones.
 */
export class SharedHeaders {
  readonly #response: ResponseHeaders
  /** The headers of before the first limit, by their names. */
  readonly #original = new Map<string, unknown>()
  readonly #written = new Map<object, readonly HeaderField[]>()

  private constructor(response: ResponseHeaders) {
    this.#response = response
  }

  static of(response: object, headers: ResponseHeaders): SharedHeaders {
    const known = shared.get(response) ?? new SharedHeaders(headers)
    shared.set(response, known)
    return known
  }

  /** The headers without those of one limit. */
  without(limit: object): ResponseHeaders {
    return this.#headersOf(this.#joinedWithout(limit))
  }

  write(limit: object, fields: readonly HeaderField[]): ResponseHeaders {
    for (const [name] of fields) this.#original.set(name, this.#originalOf(name))
    this.#written.set(limit, fields)
    const joined = this.#joinedWithout(undefined)
    for (const name of this.#original.keys()) {
      const value = joined.get(name)
      if (value === undefined) this.#response.removeHeader(name)
      else this.#response.setHeader(name, value)
    }
    return {
      ...this.#headersOf(joined),
      removeHeader: (name) =>
        this.write(
          limit,
          fields.filter(([own]) => own !== name),
        ),
    }
  }

  #joinedWithout(limit: object | undefined): Map<string, string> {
    const joined = new Map<string, string>()
    const headers = this.#headersOf(joined)
    for (const [other, fields] of this.#written) {
      if (other !== limit) writeFields(fields, headers)
    }
    return joined
  }

  #headersOf(joined: Map<string, string>): ResponseHeaders {
    return {
      getHeader: (name) => joined.get(name) ?? this.#originalOf(name),
      setHeader: (name, value) => joined.set(name, value),
      removeHeader: (name) => joined.delete(name),
    }
  }

  #originalOf(name: string): unknown {
    return this.#original.has(name) ? this.#original.get(name) : this.#response.getHeader(name)
  }
}
