import type { RulesError } from '../errors.js'

/** The reasons why the current rules are not those of the source. Each distinct failure is published once, until it is over. */
export interface Failures {
  readonly latest: RulesError | undefined
  add(error: RulesError): void
  clear(): void
}

/** A failure whose message changes each time must not exhaust the memory. */
const mostTold = 100

export function createFailures(tell: (error: RulesError) => void): Failures {
  const told = new Set<string>()
  let latest: RulesError | undefined
  return {
    get latest() {
      return latest
    },
    add(error) {
      latest = error
      const failure = `${error.code} ${error.message}`
      if (told.has(failure) || told.size >= mostTold) return
      told.add(failure)
      tell(error)
    },
    clear() {
      latest = undefined
      told.clear()
    },
  }
}
