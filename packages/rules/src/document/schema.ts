import { z } from 'zod'
import type { Predicate, RuleDeclaration, RulesDocument, When } from './document.js'
import {
  chosenPolicy,
  policy as loosePolicy,
  publishedPolicy,
  shortAlgorithm,
} from './policy-schema.js'
import { scalar, tests } from './test-schema.js'

const { exactOptional: maybe, strictObject, string, number, boolean, array, union } = z

/** The name of a value, a list, a schedule, a group or a count. Dots would make it a header or a part of a policy's name. */
const name = string().regex(/^(?!__proto__$)[\p{L}_][\p{L}\p{N}_-]{0,63}$/u, {
  error: 'a name of letters, digits, "_" and "-" that begins with a letter, at most 64 characters',
})
const id = string().regex(/^(?!__proto__$)(?=\P{Cc}*$)\S.{0,62}\S$|^\S$/u, {
  error: 'a name of 1 to 64 characters, without line breaks or spaces around it',
})
const texts = union([string(), array(string()).min(1)])
const valueNames = array(union([string().min(1), number()])).min(1)

const predicate: z.ZodType<Predicate> = union([
  scalar,
  array(scalar).min(1),
  strictObject({
    in: maybe(string().regex(/^\$./, { error: 'the name of a list as "$name"' })),
    from: maybe(number()),
    to: maybe(number()),
    above: maybe(number()),
    below: maybe(number()),
    prefix: maybe(texts),
    suffix: maybe(texts),
    contains: maybe(texts),
    matches: maybe(string()),
    present: maybe(boolean()),
    get not() {
      return maybe(predicate)
    },
  }).refine((operators) => Object.keys(operators).length > 0, { error: 'at least one operator' }),
])

const when: z.ZodType<When> = z
  .object({
    get any() {
      return maybe(array(when).min(1))
    },
    get all() {
      return maybe(array(when).min(1))
    },
    get not() {
      return maybe(when)
    },
  })
  .catchall(predicate)

const duration = union([string(), number()])
const denial = strictObject({
  status: maybe(z.int().min(400).max(599)),
  body: maybe(union([string(), z.record(string(), z.unknown())])),
})
const challenge = z
  .looseObject({ kind: string().min(1) })
  .refine((details) => !('type' in details), { error: 'details without "type"' })
const tag = strictObject({ tag: name })
const status = z.int().min(100).max(599)
const counts = strictObject({
  status: maybe(union([status, array(status).min(1)])),
  when: maybe(z.enum(['all', 'failures', 'successes'])),
  reserve: maybe(boolean()),
  denied: maybe(boolean()),
}).refine(({ status: statuses, when: word }) => (statuses === undefined) !== (word === undefined), {
  error: '"status" or "when"',
})

const byPolicy =
  'policy: { by: plan, free: { kind: fixedWindow, limit: 5, window: 1m }, pro: { kind: unlimited } }'
const chosenLimit = `a whole number, 0 or more. For other windows, or no limit, write ${byPolicy}`
const ownLimit =
  'a whole number, or { by: plan, free: 60, pro: 600 }. For no limit, write policy: { kind: unlimited }'
const ownPolicy = `a policy, such as { kind: fixedWindow, limit: 5, window: 1m }, or a choice: ${byPolicy}`
const ownWindow = `a duration such as 1m. For a window that depends on a value, write ${byPolicy}`

function ruleSchema(
  policy: z.ZodType<{ kind: string }>,
  chosen: z.ZodType<{ kind: string }>,
): z.ZodType<RuleDeclaration> {
  const keyPart = union([string(), strictObject({ first: array(string()).min(1) })])
  const policyOrBy = union([policy, by(chosen)], { error: ownPolicy })
  const quota = z.int().min(0)
  const chosenQuota = z.int({ error: chosenLimit }).min(0)
  return strictObject({
    id,
    when: maybe(when),
    // oxlint-disable-next-line unicorn/no-thenable -- the option's name
    then: maybe(
      union(
        [
          z.literal(['allow', 'deny']),
          strictObject({ deny: denial }),
          strictObject({ challenge }),
          tag,
        ],
        {
          error:
            'allow, deny, { deny: { status: 403 } }, { challenge: { kind: captcha } }, or { tag: name }',
        },
      ),
    ),
    key: maybe(union([keyPart, array(keyPart)])),
    limit: maybe(
      union([quota, string().regex(/^\$./, { error: ownLimit }), by(chosenQuota)], {
        error: ownLimit,
      }),
    ),
    window: maybe(union([string(), number()], { error: ownWindow })),
    algorithm: maybe(shortAlgorithm),
    policy: maybe(policyOrBy),
    policies: maybe(z.record(name, policyOrBy).meta({ minProperties: 1 })), // `declaredPolicies` checks it
    over: maybe(
      union(
        [
          z.literal('deny'),
          strictObject({ deny: denial }),
          strictObject({ delay: duration }),
          strictObject({ challenge }),
          tag,
        ],
        {
          error:
            'deny, { deny: { status: 403 } }, { delay: 5s }, { challenge: { kind: captcha } }, or { tag: name }',
        },
      ),
    ),
    cost: maybe(
      union([quota, string().regex(/^\$./, { error: 'a number, or a value as "$name"' })]),
    ),
    counts: maybe(
      union([z.enum(['all', 'failures', 'successes']), counts], {
        error:
          'all, failures, successes, { status: [401, 404] }, or { when: failures, reserve: false, denied: true }',
      }),
    ),
    resetOn: maybe(z.literal('success')),
    group: maybe(name),
    count: maybe(id),
    overrides: maybe(
      strictObject({
        of: string(),
        entries: maybe(z.record(string().min(1), union([quota, z.literal('unlimited'), policy]))),
      }),
    ),
    expose: maybe(boolean()),
    shadow: maybe(boolean()),
    enabled: maybe(boolean()),
    note: maybe(string()),
  })
}

function by<T>(
  chosen: z.ZodType<T>,
): z.ZodType<{ by: string; else?: T; [value: string]: T | string | undefined }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod gives all members the type of the catchall, "by" among them
  return z.object({ by: name, else: maybe(chosen) }).catchall(chosen) as never
}

const types = ['string', 'number', 'integer', 'boolean'] as const

const head = {
  version: z.literal(1),
  name: id,
  zone: maybe(string()),
  caseSensitive: maybe(boolean()),
  values: maybe(
    z.record(
      name,
      union([
        z.enum([...types, ...types.map((type) => `${type}?` as const)]),
        valueNames,
        strictObject({ oneOf: valueNames, optional: maybe(boolean()) }),
      ]),
    ),
  ),
  lists: maybe(
    z.record(
      name,
      strictObject({
        kind: z.enum(['address', 'text']),
        file: maybe(string().min(1)),
        entries: maybe(array(union([string(), number()]))),
      }),
    ),
  ),
  schedules: maybe(
    z.record(
      name,
      strictObject({
        days: maybe(array(string()).min(1)),
        from: maybe(string()),
        to: maybe(string()),
        except: maybe(array(string())),
        zone: maybe(string()),
      }),
    ),
  ),
  tests: maybe(tests),
}

/** One rule. The policies in it are checked by their builders. */
export const ruleShape: z.ZodType<RuleDeclaration> = ruleSchema(loosePolicy, chosenPolicy)

/** All of a document but its rules, which are checked one by one. */
export const documentShape: z.ZodType<Omit<RulesDocument, 'rules'> & { rules: unknown[] }> =
  strictObject({ ...head, rules: array(z.unknown()).min(1) })

/** The JSON Schema of documents, for editors. */
export function jsonSchema(): object {
  const document = strictObject({
    ...head,
    rules: array(ruleSchema(publishedPolicy, publishedPolicy)).min(1),
  })
  return {
    ...z.toJSONSchema(document, { io: 'input', reused: 'ref' }),
    $id: 'https://unpkg.com/@sluice/rules/schema.json',
    title: 'Rules of Sluice',
  }
}
