import type { ExecutionContext } from '@nestjs/common'
import type { RequestDecision } from '@sluice/core/http'
import { isObject } from '../nest-call.js'

const decisions = new WeakMap<object, RequestDecision>()

/** Keeps the decision on a call that has no request of its own. */
export function keepDecision(
  context: ExecutionContext,
  decision: RequestDecision | undefined,
): void {
  const owner = ownerOf(context)
  if (owner === undefined) return
  if (decision === undefined) decisions.delete(owner)
  else decisions.set(owner, decision)
}

/** The decision on a call that has no request of its own. */
export function keptDecision(context: ExecutionContext): RequestDecision | undefined {
  const owner = ownerOf(context)
  return owner === undefined ? undefined : decisions.get(owner)
}

/**
 * An argument that no other call has: guards and parameters see different lists of the same arguments. In GraphQL it is the info, in a microservice the
 * context, at a gateway the data. If the data is not an object, it is the client, whose latest decision is kept.
 */
function ownerOf(context: ExecutionContext): object | undefined {
  const args: readonly unknown[] = context.getArgs()
  const own = context.getType<string>() === 'graphql' ? [args.at(-1)] : [args[1], args[0]]
  return own.find(isObject)
}
