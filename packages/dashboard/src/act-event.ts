import type { Act, Role } from './view.js'

/** A visitor, as `authorize` describes them. */
export interface Visitor {
  readonly role: Role
  /** The name that `authorize` returned. */
  readonly name?: string
}

/** Published on `sluice:act` after a visitor of a dashboard has acted on a key, or has failed to. */
export interface ActEvent {
  readonly limiter: string
  /** The key in the form in which it is counted, as in the events of `sluice:decision`. It is not masked. */
  readonly key: string
  readonly act: Act
  /** The duration of a block, an exemption or a grant, as it was sent. */
  readonly length?: number | string
  /** The units of a penalty or a grant. */
  readonly units?: number
  readonly reason: string
  readonly by: Visitor
  readonly at: number
  readonly ok: boolean
  /** Why the act failed. */
  readonly error?: { readonly code: string; readonly message: string }
}
