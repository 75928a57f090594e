/** The parameters of a query, as frameworks read them. */
export class Query {
  /** As most frameworks read it. */
  readonly #usual: URLSearchParams
  /** As Fastify reads it: behind the first `?` or `#`, and up to the end. */
  readonly #whole: URLSearchParams

  constructor(url: string) {
    const [, usual = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
    this.#usual = new URLSearchParams(usual)
    this.#whole = url.includes('#')
      ? new URLSearchParams(url.slice(url.search(/[?#]/) + 1))
      : this.#usual
  }

  /**
   * The values by which requests are counted. If all frameworks find a value, values that only some of them find are left out: a client could use them to
   * count its requests under other keys.
   */
  keysOf(name: string): readonly string[] {
    const usual = this.#usual.getAll(name).filter((value) => value !== '')
    return usual.length > 0 ? usual : this.valuesOf(name, false)
  }

  /**
   * The values of a parameter that are not empty. Express can read `name[]` and `name[0]` as values of `name`.
   *
   * @param certain whether there are none unless every framework finds one
   */
  valuesOf(name: string, certain: boolean): readonly string[] {
    if (certain && !this.#usual.getAll(name).some((value) => value !== '')) return []
    const values: string[] = []
    for (const parameters of new Set([this.#usual, this.#whole])) {
      for (const [sent, value] of parameters) {
        if (value !== '' && (sent === name || sent.startsWith(`${name}[`))) values.push(value)
      }
    }
    return this.#usual === this.#whole ? values : [...new Set(values)]
  }
}
