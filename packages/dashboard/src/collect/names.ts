/** The most lists that are kept. More than an application has combinations of policies. */
const mostLists = 1000

/** Returns the same list for the same names, so that thousands of denied keys share the lists of their policies. */
export class Names {
  readonly #single = new Map<string, readonly string[]>()
  readonly #several = new Map<string, readonly string[]>()

  listOf(names: readonly string[]): readonly string[] {
    const isOne = names.length === 1
    const lists = isOne ? this.#single : this.#several
    const id = isOne ? names[0] : JSON.stringify(names)
    const known = lists.get(id)
    if (known !== undefined) return known
    if (lists.size >= mostLists) lists.clear()
    lists.set(id, names)
    return names
  }
}
