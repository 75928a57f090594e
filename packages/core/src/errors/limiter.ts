import { quoted, quotedList, show } from './quoting.js'

/** Errors and warnings of the calls of a limiter. */
export const limiterMessages = {
  SLUICE_POLICIES_MISSING: (limiter: string): string =>
    `limiter "${limiter}": it has no policies of its own, because each request chooses them. Pass the policies of this call as the option "policies".`,

  SLUICE_POLICY_NAME_UNKNOWN: (limiter: string, name: string, known: readonly string[]): string =>
    `limiter "${limiter}": the call names a policy ${quoted(name)}, but ${
      known.length === 0 ? 'there are none' : `the policies are ${quotedList(known)}`
    }.`,

  SLUICE_KEY_INVALID: (where: string, value: unknown, details: WrongKey): string =>
    `${where}: ${keyPlace(details)} is ${show(value)}. ${details.advice ?? keyAdvice}.`,

  SLUICE_KEY_OBJECT: (where: string, value: object, details: WrongKey): string =>
    `${where}: ${keyPlace(details)} is an object of the class ${quoted(classOf(value))}. ${'then' in value ? 'Await it' : 'Pass its text: String(id)'}.`,

  SLUICE_KEY_MISSING: (limiter: string, name: string): string =>
    `limiter "${limiter}": there is no key for the policy "${name}". Pass one, or "notLimited" to leave that policy out.`,

  SLUICE_COST_INVALID: (limiter: string, value: unknown): string =>
    `limiter "${limiter}": the cost is ${show(value)}. Pass a whole number from 0 to 2^53 - 1.`,

  SLUICE_DECISION_FOREIGN: (limiter: string, maker?: string): string =>
    maker === undefined
      ? `limiter "${limiter}": this object cannot be refunded. It is a copy of a decision, or another installed copy of @sluice/core made it ` +
        `(\`npm ls @sluice/core\` lists them). Pass the decision itself, to a limiter of the same copy.`
      : `limiter "${limiter}": this decision was made by the limiter "${maker}". Only that limiter can refund it.`,

  SLUICE_DENIED: (
    limiter: string,
    deniedBy: readonly string[],
    retryAfterMs: number | null,
    advice = '"onDenied" or "wait"',
  ): string =>
    `limiter "${limiter}": denied by ${quotedList(deniedBy)}. ${
      retryAfterMs === null
        ? 'The cost is more than the quota can ever allow'
        : `The same cost is allowed in ${retryAfterMs} ms`
    }. Catch this DeniedError, whose "decision" says more, or pass ${advice}.`,

  SLUICE_HELD_LONG: (limiter: string, heldMs: number): string =>
    `limiter "${limiter}": a limited function has held its lease for ${heldMs} ms and has not ended, so the lease is not renewed any more, and another call may ` +
    `begin. Let the function end, such as with a timeout, or pass a longer "maxHold".`,

  SLUICE_LIMITER_UNKNOWN: (name: string, known: readonly string[]): string =>
    `there is no limiter ${quoted(name)}. ${
      known.length === 0 ? 'There are none so far' : `The limiters are ${quotedList(known)}`
    }. The limiters of routes are created when the application starts.`,

  SLUICE_CLOCK_INVALID: (value: unknown): string =>
    `the clock returned ${show(value)}. It must return milliseconds since the epoch: a number from 0 to 2^47, which is in the year 6429.`,

  SLUICE_THROWN: (name: string, value: unknown): string =>
    `limiter "${name}": a function of its options threw ${show(value)}, which some frameworks do not treat as an error. Throw an Error.`,

  SLUICE_POLICY_NAMES_MANY: (limiter: string, count: number, name: string): string =>
    `limiter "${limiter}": its calls have named ${count} different policies, such as ${quoted(name)}. A policy's name identifies a kind of limit, ` +
    `such as a plan. If each client has its own name, use one name and put the client into the key: in Redis, each name adds to the state of its key.`,

  SLUICE_POLICY_REDUNDANT: (limiter: string, name: string, other: string): string =>
    `limiter "${limiter}": the policy "${name}" allows at least as many units as "${other}", in a window that is not longer. Where both count by the ` +
    `same key, as in this call, it hardly ever denies. Give "${name}" a lower limit or a longer window, or leave it out.`,

  SLUICE_NAME_TAKEN: (name: string, policy?: string): string =>
    policy === undefined
      ? `rateLimit: another limiter of this store has the name "${name}" and other policies, so both would count together by different limits. ` +
        `Give each limiter a "name" of its own.`
      : `limiter "${name}": another limiter of this store has this name, and its policy "${policy}" has another algorithm or another number of buckets. ` +
        `Each would have a count of its own, so that a client gets both limits. Give each limiter a "name" of its own, or close the other one first.`,
}

/** Details of an invalid key. */
export interface WrongKey {
  /** The position of the invalid part in a list, counted from 1. */
  readonly part?: number | undefined
  readonly policy?: string | undefined
  readonly advice?: string | undefined
}

/** The invalid part, in words. */
function keyPlace({ part, policy }: WrongKey): string {
  const ofPolicy = policy === undefined ? '' : ` of the policy ${quoted(policy)}`
  return `${part === undefined ? '' : `part ${part} of `}the key${ofPolicy}`
}

function classOf(value: object): string {
  const { constructor } = value
  return typeof constructor === 'function' ? constructor.name : 'Object'
}

const keyAdvice =
  'Pass a non-empty string, or a list of parts, each of them a non-empty string, a whole number below 2^53 or a bigint. A missing key would put all callers ' +
  'in one bucket, so it is refused; only "notLimited" leaves a policy out'
