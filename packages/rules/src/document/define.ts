import type {
  By,
  KeyPartDeclaration,
  Predicate,
  RuleDeclaration,
  RulesDocument,
  ValueDeclaration,
} from './document.js'

/**
 * Returns the document. The compiler checks the names in it: fields of `when`, keys, lists, schedules, and the values that they are compared with.
 *
 * @example
 * const document = defineRules({
 *   version: 1,
 *   name: 'api',
 *   values: { plan: ['free', 'pro'] },
 *   rules: [{ id: 'pro', when: { plan: 'pro' }, limit: 100, window: '1m' }],
 * })
 */
export function defineRules<const D extends RulesDocument>(document: D & Checked<D>): D {
  return document
}

/** The types of a document's declared values: `{ plan: 'free' | 'pro' }`. */
export type ValuesOf<D extends { readonly values?: RulesDocument['values'] }> = {
  readonly [N in keyof Declared<D> as IsOptional<Declared<D>[N]> extends true ? never : N]: ValueOf<
    Declared<D>[N]
  >
} & {
  readonly [N in keyof Declared<D> as IsOptional<Declared<D>[N]> extends true ? N : never]?:
    | ValueOf<Declared<D>[N]>
    | null
    | undefined
}

type Declared<D> = D extends { readonly values: infer V extends Record<string, ValueDeclaration> }
  ? V
  : unknown

type IsOptional<V> = V extends `${string}?` | { readonly optional: true } ? true : false

type ValueOf<V> = V extends 'string' | 'string?'
  ? string
  : V extends 'number' | 'number?' | 'integer' | 'integer?'
    ? number
    : V extends 'boolean' | 'boolean?'
      ? boolean
      : V extends readonly (infer E)[]
        ? E
        : V extends { readonly oneOf: readonly (infer E)[] }
          ? E
          : never

type NameOf<R> = Extract<keyof R, string>

type ValueName<D> = NameOf<Declared<D>>

type FieldName<D> =
  | ValueName<D>
  | 'method'
  | 'path'
  | 'route'
  | 'host'
  | 'ip'
  | `${'header' | 'query' | 'cookie' | 'param'}.${string}`

type MembersOf<D, M extends string> = D extends { readonly [K in M]: infer R } ? NameOf<R> : never

type ListName<D> = `$${MembersOf<D, 'lists'>}`
type ScheduleName<D> = MembersOf<D, 'schedules'>

/** The document with only such names as it declares. */
interface Checked<D> {
  readonly rules: readonly CheckedRule<D>[]
}

type CheckedRule<D> = Omit<RuleDeclaration, 'when' | 'key' | 'limit' | 'cost' | 'overrides'> & {
  readonly when?: CheckedWhen<D>
  readonly key?: CheckedPart<D> | readonly CheckedPart<D>[]
  readonly limit?: number | `$${ValueName<D>}` | By<number>
  readonly cost?: number | `$${ValueName<D>}`
  readonly overrides?: NonNullable<RuleDeclaration['overrides']> & { readonly of: FieldName<D> }
}

type CheckedPart<D> = KeyPartDeclaration &
  (FieldName<D> | { readonly first: readonly FieldName<D>[] })

type CheckedWhen<D> = {
  readonly [N in FieldName<D>]?: N extends ValueName<D>
    ? CheckedPredicate<D, ValueOf<Declared<D>[N]>>
    : CheckedPredicate<D, string | number>
} & {
  readonly during?:
    | ScheduleName<D>
    | readonly ScheduleName<D>[]
    | { readonly not: ScheduleName<D> | readonly ScheduleName<D>[] }
  readonly any?: readonly CheckedWhen<D>[]
  readonly all?: readonly CheckedWhen<D>[]
  readonly not?: CheckedWhen<D>
}

type CheckedPredicate<D, V> =
  | Literal<V>
  | readonly Literal<V>[]
  | (Omit<Extract<Predicate, { readonly in?: string }>, 'in' | 'not'> & {
      readonly in?: ListName<D>
      readonly not?: CheckedPredicate<D, V>
    })

/** A text can be compared with a number that is written in it. */
type Literal<V> = string extends V ? string | number : V
