import { quoted, show } from './quoting.js'

/** Errors of requests. Each fails one request, and the rules continue to judge others. */
export const requestMessages = {
  /** @param optionalForm the declaration that allows a request without the value; undefined for a cost, which is always needed */
  SLUICE_RULES_VALUE_MISSING: (name: string, optionalForm: string | undefined): string =>
    optionalForm === undefined
      ? `the request has no value ${quoted(name)}, which is the cost of a rule. Return a number for each request, or limit the rule to requests with the value: "when: { ${name}: { present: true } }".`
      : `the request has no value ${quoted(name)}, which a rule needs. If requests may lack it, declare it as ${optionalForm}. ` +
        `A rule whose key needs the value then does not apply to such a request.`,

  SLUICE_RULES_VALUE_INVALID: (name: string, value: unknown, expected: string): string =>
    `the value ${quoted(name)} is ${show(value)}. It has to be ${expected}.`,

  SLUICE_RULES_TOO_MANY: (most: number, rules: readonly string[]): string =>
    `more than ${most} rules apply to one request, the first of them ${rules.slice(0, 5).map(quoted).join(', ')}. ` +
    `Put alternative rules into one "group".`,
}

/** The texts that a client receives for the errors that it caused. The message of an error is for the programmer. */
export const clientTexts = {
  SLUICE_RULES_VALUE_MISSING: (name: string): string => `The request has no value ${quoted(name)}.`,
  SLUICE_RULES_VALUE_INVALID: (name: string): string =>
    `The value ${quoted(name)} of the request is invalid.`,
  SLUICE_RULES_TOO_MANY: (): string => 'The path or the parameters of the request are ambiguous.',
}

/** The message of SLUICE_ADDRESS_MISSING, which is an error of the core, for a rule. */
export function noAddress(rule: string): string {
  return (
    `rule ${quoted(rule)} counts by "ip", and the request has no address. Without HTTP, pass "ip" in the context, or give the rule another "key". ` +
    `If a proxy or a unix socket is in front of a server, tell the framework to trust it (Express: app.set('trust proxy', 1)).`
  )
}
