import { processTime } from '../../clock.js'
import { SluiceError, sluiceError } from '../../errors.js'
import { redisKeys } from '../../keys.js'
import { failureOf } from '../queue/pending.js'
import { createPings } from '../pipeline/pings.js'
import { isDecision, type Answer, type StoreRequest } from '../store.js'
import { decodeAnswers, readReply, stale } from './answers.js'
import { encodeDecisions, encodeChange, pingArgs } from './encoding.js'
import { createEvaluation, createChangeScript } from './scripts.js'
import type { Target, Targets } from './compiled-policies.js'
import type { ScriptClient } from './client.js'
import { acrossSlots } from './slots.js'

/** Receives the answers, in the order of the requests, once. */
type Done = (answers: readonly Answer[]) => void

/** The calls of a store to Redis. */
export interface Calls {
  /** Runs requests, all of one target. Each of them is void once the timeout is over. */
  send(requests: readonly StoreRequest[], target: Target | undefined, done: Done): void
  ping(): Promise<boolean>
}

/** The times of a call. */
interface CallDeadline {
  /** The monotonic time after which it takes nothing. */
  readonly voidAt: number
  /** Tells a request-bound client when nobody waits for the reply. */
  readonly signal: AbortSignal | undefined
}

/** Runs the decisions of a call with the script of their policies, and each other request with the script of the other verbs. */
export function createCalls(
  client: ScriptClient,
  prefix: string,
  timeoutMs: number,
  { targetAt, slotOf }: Pick<Targets, 'targetAt' | 'slotOf'>,
): Calls {
  const evaluate = createEvaluation(client)
  const scriptFor = createChangeScript()
  const ping = createPings(pingTargets(client), pingAt)

  /** `attempt`: how often these requests were sent before. A void or stale call took nothing, and its reply corrected the clock, so it is repeated. */
  function run(
    requests: readonly StoreRequest[],
    target: Target,
    deadline: CallDeadline,
    done: Done,
    attempt = 0,
  ): void {
    const { compiled, clock } = target
    const sentAt = processTime.monotonic()
    const [serverMs, until] = [clock.at(sentAt), clock.at(deadline.voidAt)]
    const areDecisions = compiled !== undefined && requests.every(isDecision)
    const { keys, args, widths } = areDecisions
      ? encodeDecisions(compiled, requests, serverMs, until)
      : encodeChange(prefix, requests[0], serverMs, until)
    const script = areDecisions
      ? compiled.script
      : scriptFor(requests[0].policies.map(({ steps }) => steps))

    function failed(cause: unknown): void {
      const isLate = deadline.signal?.aborted === true
      fail(requests, isLate ? sluiceError('SLUICE_STORE_TIMEOUT', 'redis', timeoutMs) : cause, done)
    }

    function read(given: unknown): void {
      const reply = readReply(given)
      if (reply === undefined) {
        failed(new TypeError(`the client answered a script with ${String(given)}`))
        return
      }
      clock.learn(sentAt, processTime.monotonic(), Number(reply[0]))
      if (reply.length === 1) {
        if (attempt > 0) failed(sluiceError('SLUICE_STORE_TIMEOUT', 'redis', timeoutMs))
        else run(requests, target, deadline, done, attempt + 1)
        return
      }
      const answers = decodeAnswers(reply, widths, requests)
      if (attempt > 1 || !answers.includes(stale)) {
        done(answers)
        return
      }
      const again = requests.filter((_, i) => answers[i] === stale)
      const fill = (late: readonly Answer[]) => {
        let next = 0
        done(answers.map((answer) => (answer === stale ? late[next++] : answer)))
      }
      run(again, target, deadline, fill, 2)
    }

    evaluate(script, keys, args, read, failed, deadline.signal)
  }

  /** Runs each request in a call of its own, in their order. The keys of each are in one slot. */
  function runEach(requests: readonly StoreRequest[], deadline: CallDeadline, done: Done): void {
    const answers: Answer[] = []
    let left = requests.length
    requests.forEach((request, i) => {
      const target = targetAt(request, slotOf(request.keys[0], request))
      run([request], target, deadline, ([answer]) => {
        answers[i] = answer
        if (--left === 0) done(answers)
      })
    })
  }

  /** A refund stays valid however late it arrives. All other calls become void at the timeout, because their caller no longer waits. */
  function deadlineOf(requests: readonly StoreRequest[]): CallDeadline {
    const isRefund = requests.every(({ verb }) => verb === 'refundReceipt')
    return {
      voidAt: processTime.monotonic() + (isRefund ? neverMs : timeoutMs),
      signal: client.isRequestBound
        ? AbortSignal.timeout(isRefund ? refundMs : timeoutMs)
        : undefined,
    }
  }

  /** Runs requests without a target: their keys are in several slots. */
  function runAcross(
    requests: readonly StoreRequest[],
    deadline: CallDeadline,
    answered: Done,
  ): void {
    const runParts = acrossSlots((some) => runPart(some, deadline), undo, slotOf)
    runParts(requests).then(answered, (cause) => fail(requests, cause, answered))
  }

  /** Refunds what a part has taken. Rejects if it could not: then the request as a whole has failed. */
  async function undo(requests: readonly StoreRequest[]): Promise<readonly Answer[]> {
    const answers = await runPart(requests, deadlineOf(requests))
    const failed = answers.find((answer) => answer instanceof SluiceError)
    if (failed !== undefined) throw failed
    return answers
  }

  function runPart(
    requests: readonly StoreRequest[],
    deadline: CallDeadline,
  ): Promise<readonly Answer[]> {
    return new Promise((resolve) => runEach(requests, deadline, resolve))
  }

  /** On a Cluster, the key only selects the master. The script does not use it. */
  async function pingAt(target: number): Promise<boolean> {
    const keys = client.isCluster ? [redisKeys(prefix, 'ping')(`${target}`)] : []
    return new Promise((resolve) => {
      evaluate(
        scriptFor([]),
        keys,
        pingArgs,
        (reply) => resolve(readReply(reply) !== undefined),
        () => resolve(false),
        client.isRequestBound ? AbortSignal.timeout(timeoutMs) : undefined,
      )
    })
  }

  return {
    send(requests, target, done) {
      const deadline = deadlineOf(requests)
      if (target?.compiled !== undefined) run(requests, target, deadline, done)
      else if (target === undefined && client.isCluster) runAcross(requests, deadline, done)
      else runEach(requests, deadline, done)
    },
    ping,
  }
}

/** Of a request-bound client, each ping is sent: a request must not wait for the ping of another. */
function pingTargets({ isCluster, isRequestBound }: ScriptClient): number {
  if (isRequestBound) return Infinity
  return isCluster ? 16 : 1
}

function fail(requests: readonly StoreRequest[], cause: unknown, done: Done): void {
  const error = failureOf('redis', cause)
  done(requests.map(() => error))
}

/** The time for which a request-bound client tries a refund, although nobody waits for it. */
const refundMs = 30_000

/** Longer than any client keeps a call in its queue. */
const neverMs = 86_400_000
