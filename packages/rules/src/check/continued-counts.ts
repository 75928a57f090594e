import { layoutOf, resolvePolicy } from '@sluice/core/internal'
import { inZone } from '../compile/limits/policies.js'
import type { CompiledRule, Limit } from '../compile/rule.js'

/**
 * Whether counts of a rule start again. The stores identify a count by its name, its key and the form of its policy: `gcra` continues the count of a
 * `tokenBucket`, and another number of `buckets` does not.
 *
 * @param old all earlier rules, because rules can share a count
 */
export function startsAgain(
  earlier: CompiledRule,
  { action }: CompiledRule,
  old: Iterable<CompiledRule>,
): boolean {
  if (earlier.action.type !== 'limit' || action.type !== 'limit') return false
  const { names } = action.variants
  const isReplaced = earlier.action.variants.names.some((name) => !names.includes(name))
  const before = [earlier, ...old].flatMap(({ action }) => (action.type === 'limit' ? action : []))
  return names.some((name) => {
    const users = before.filter(({ variants }) => variants.names.includes(name))
    const user = users.find(({ key }) => keyText(key) === keyText(action.key))
    // A further policy of a rule has a new count, beside which those of the others continue.
    if (user === undefined) return isReplaced || users.length > 0
    return hasOtherForms(formsOf(user, name), formsOf(action, name))
  })
}

function keyText({ parts }: Limit['key']): string {
  return JSON.stringify(parts.map((fields) => fields.map(({ name }) => name)))
}

interface ChosenForm {
  readonly form: string
  /** The value that chooses it. Undefined for an override, and if the rule has no choice. */
  readonly by?: string | undefined
}

/** The forms of a count, by the reasons for the choice of its policies. */
type Forms = ReadonlyMap<string | undefined, ChosenForm>

/** An override with a number has the form of the rule's own policy, and one with a whole policy replaces the first policy. */
function formsOf({ variants }: Limit, name: string): Forms {
  const forms = new Map<string | undefined, ChosenForm>()
  for (const { name: own, policy, reason, by } of variants.alternatives) {
    if (own === name) forms.set(reason, { form: formOfPolicy(policy), by })
  }
  if (name !== variants.names[0]) return forms
  for (const { limit, reason } of variants.overrides()) {
    // A form does not depend on the time zone.
    if (typeof limit === 'object') forms.set(reason, { form: formOfPolicy(inZone(limit, 'UTC')) })
  }
  return forms
}

function formOfPolicy(policy: { readonly kind: string }): string {
  return policy.kind === 'unlimited' ? countsNothing : layoutOf(resolvePolicy(policy, 'a rule'))
}

const countsNothing = ''

/** Whether a client, such as one with a certain plan or override, has another form. */
function hasOtherForms(old: Forms, next: Forms): boolean {
  return [...old, ...next].some(([reason, { by }]) => {
    const after = possible(next, reason, by)
    return possible(old, reason, by).some((form) => after.some((other) => other !== form))
  })
}

/** The forms that such a client can have in a document: that of the same reason, that of "else", or any. */
function possible(
  forms: Forms,
  reason: string | undefined,
  by: string | undefined,
): readonly string[] {
  const chosen = forms.get(reason) ?? forms.get(`${by} else`)
  const all = chosen === undefined ? [...forms.values()] : [chosen]
  return all.map(({ form }) => form).filter((form) => form !== countsNothing)
}
