import { writeFields, type HeaderField, type ResponseHeaders } from '@sluice/core/http'
import { getOrAdd } from '../get-or-add.js'
import type { LimitHeaders } from './call.js'

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
    return getOrAdd(shared, response, () => new SharedHeaders(headers))
  }

  /** The headers as one limit sees them: without its own. */
  of(limit: object): LimitHeaders {
    return {
      getHeader: (name) => this.#joined(limit).getHeader(name),
      write: (fields) => this.#write(limit, fields),
      removeHeader: (name) =>
        this.#write(limit, this.#written.get(limit)?.filter(([own]) => own !== name) ?? []),
    }
  }

  #write(limit: object, fields: readonly HeaderField[]): void {
    for (const [name] of fields) {
      if (!this.#original.has(name)) this.#original.set(name, this.#response.getHeader(name))
    }
    this.#written.set(limit, fields)
    const joined = this.#joined()
    for (const name of this.#original.keys()) {
      const value = joined.getHeader(name)
      if (value === undefined) this.#response.removeHeader(name)
      else this.#response.setHeader(name, [value].flat().map(String).join(', '))
    }
  }

  #joined(without?: object): ResponseHeaders {
    const joined = new Map(this.#original)
    const headers: ResponseHeaders = {
      getHeader: (name) => (joined.has(name) ? joined.get(name) : this.#response.getHeader(name)),
      setHeader: (name, value) => joined.set(name, value),
      removeHeader: (name) => joined.delete(name),
    }
    for (const [limit, fields] of this.#written) if (limit !== without) writeFields(fields, headers)
    return headers
  }
}
