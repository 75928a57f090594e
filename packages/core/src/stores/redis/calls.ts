import { processTime } from '../../clock.js'
import { SluiceError, sluiceError } from '../../errors.js'
import { redisKey } from '../../keys.js'
import { failureOf } from '../failure.js'
import { createPings } from '../pipeline/pings.js'
import { createServerClock, type ServerClock } from '../pipeline/server-clock.js'
import type { Answer, StoreRequest } from '../store.js'
import type { ScriptClient } from './client/script-client.js'
import { decodeAnswers, stale, type ReplyLayout } from './answers.js'
import { createEvaluation, createRequestScript, type Script } from './evaluation.js'
import type { Lane } from './batches.js'
import { isPlanLane, type Lanes } from './lanes.js'
import { encodePlanCall, isDecision } from './plan-calls.js'
import type { RedisPlan } from './plans.js'
import { readReply } from './reply.js'
import { encodeRequest, pingArgs } from './request-calls.js'
import { acrossSlots } from './slots.js'

/** The calls of a store to Redis. */
export interface Calls {
  /**
   * Runs requests, all of one lane. Each of them is void once the timeout is over.
   *
   * @param done receives the answers, in the order of the requests, once
   */
  send(
    requests: readonly StoreRequest[],
    lane: Lane | undefined,
    done: (answers: readonly Answer[]) => void,
  ): void
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** Runs the requests of a call with the script of their plan, or each of them with that of single requests. */
export function createCalls(
  client: ScriptClient,
  prefix: string,
  timeoutMs: number,
  { slotOf, planOf }: Pick<Lanes, 'slotOf' | 'planOf'>,
): Calls {
  const evaluate = createEvaluation(client)
  const scriptFor = createRequestScript()
  const clocks = new Map<number, ServerClock>()
  const ping = createPings(client.isCluster ? 16 : 1, pingAt)
  let closed = false

  /** One clock for each slot of a Cluster, because slots are on several servers. */
  function clockFor([request]: readonly StoreRequest[]): ServerClock {
    const slot = slotOf(request.keys[0], request)
    let clock = clocks.get(slot)
    if (clock === undefined) {
      clock = createServerClock()
      clocks.set(slot, clock)
    }
    return clock
  }

  /** Runs a script, and updates the clock from its reply. */
  function send(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    clock: ServerClock,
    done: (reply: readonly unknown[]) => void,
    failed: (error: unknown) => void,
  ): void {
    const sentAt = processTime.monotonic()
    function read(given: unknown): void {
      let reply: readonly unknown[]
      try {
        reply = readReply(given)
      } catch (error) {
        failed(error)
        return
      }
      clock.learn(sentAt, processTime.monotonic(), Number(reply[0]))
      done(reply)
    }
    evaluate(script, keys, args, read, failed)
  }

  /** Sends one call. Its answers are undefined if it arrived too late and did nothing. */
  function ask(
    plan: RedisPlan | undefined,
    requests: readonly StoreRequest[],
    voidAt: number,
    answered: (answers: readonly (Answer | typeof stale)[] | undefined) => void,
    failed: (cause: unknown) => void,
  ): void {
    const clock = clockFor(requests)
    const serverMs = clock.at(processTime.monotonic())
    const until = clock.at(voidAt)
    const [request] = requests
    function reader(layout: ReplyLayout, order?: readonly number[]) {
      return (reply: readonly unknown[]) =>
        answered(reply.length === 1 ? undefined : decodeAnswers(reply, layout, requests, order))
    }
    if (plan !== undefined && requests.every(isDecision)) {
      const { keys, args, order } = encodePlanCall(plan, requests, serverMs)
      send(plan.script, keys, [`${until}`, ...args], clock, reader(plan, order), failed)
    } else {
      const { keys, args, layout } = encodeRequest(prefix, request, serverMs)
      const script = scriptFor(request.entries.map(({ steps }) => steps))
      send(script, keys, [`${until}`, ...args], clock, reader(layout), failed)
    }
  }

  /** Runs requests without a plan: each in a call of its own, in their order. */
  function runEach(
    requests: readonly StoreRequest[],
    voidAt: number,
    done: (answers: readonly Answer[]) => void,
  ): void {
    const answers: Answer[] = []
    let left = requests.length
    requests.forEach((request, i) =>
      run(undefined, [request], voidAt, ([answer]) => {
        answers[i] = answer
        if (--left === 0) done(answers)
      }),
    )
  }

  /** `attempt`: how often these requests were sent before. A void or stale call took nothing, and its reply corrected the clock, so it is repeated. */
  function run(
    plan: RedisPlan | undefined,
    requests: readonly StoreRequest[],
    voidAt: number,
    done: (answers: readonly Answer[]) => void,
    attempt = 0,
  ): void {
    const failed = (cause: unknown) => fail(requests, cause, done)
    function read(answers: readonly (Answer | typeof stale)[] | undefined): void {
      if (answers === undefined) {
        if (attempt > 0) failed(tooLate())
        else run(plan, requests, voidAt, done, attempt + 1)
      } else if (areAnswers(answers)) done(answers)
      else if (attempt > 1) done(answers.map((answer) => (answer === stale ? farClock() : answer)))
      else {
        const again = requests.filter((_, i) => answers[i] === stale)
        const fill = (late: readonly Answer[]) => {
          let next = 0
          done(answers.map((answer) => (answer === stale ? late[next++] : answer)))
        }
        run(plan, again, voidAt, fill, 2)
      }
    }
    ask(plan, requests, voidAt, read, failed)
  }

  function tooLate(): Error {
    return sluiceError('SLUICE_STORE_TIMEOUT', 'redis', timeoutMs)
  }

  /** A refund stays valid however late it arrives. All other calls become void at the timeout, because their caller no longer waits. */
  function voidAtOf(requests: readonly StoreRequest[]): number {
    const isRefund = requests.every(({ verb }) => verb === 'refundReceipt')
    return processTime.monotonic() + (isRefund ? neverMs : timeoutMs)
  }

  /** Runs requests without a lane: their keys are in several slots. */
  function runAcross(
    requests: readonly StoreRequest[],
    voidAt: number,
    answered: (answers: readonly Answer[]) => void,
  ): void {
    const part = (some: readonly StoreRequest[]) => runPart(some, voidAt)
    const runParts = acrossSlots(part, undo, slotOf)
    runParts(requests).then(answered, (cause) => fail(requests, cause, answered))
  }

  /** Refunds what a part has taken. Rejects if it could not: then the request as a whole has failed. */
  async function undo(requests: readonly StoreRequest[]): Promise<readonly Answer[]> {
    const answers = await runPart(requests, voidAtOf(requests))
    const failed = answers.find((answer) => answer instanceof SluiceError)
    if (failed !== undefined) throw failed
    return answers
  }

  function runPart(requests: readonly StoreRequest[], voidAt: number): Promise<readonly Answer[]> {
    const [request] = requests
    const plan = requests.length === 1 && isDecision(request) ? planOf(request) : undefined
    return new Promise((resolve) => {
      if (plan === undefined) runEach(requests, voidAt, resolve)
      else run(plan, requests, voidAt, resolve)
    })
  }

  /** On a Cluster, the key only selects the master. The script does not use it. */
  async function pingAt(target: number): Promise<boolean> {
    const keys = client.isCluster ? [redisKey(prefix, 'ping', `${target}`)] : []
    return new Promise((resolve) => {
      evaluate(
        scriptFor([]),
        keys,
        pingArgs,
        (reply) => resolve(isReply(reply)),
        () => resolve(false),
      )
    })
  }

  return {
    send(requests, lane, done) {
      if (closed) {
        fail(requests, sluiceError('SLUICE_STORE_CLOSED', 'redis'), done)
        return
      }
      const voidAt = voidAtOf(requests)
      if (client.isCluster && lane === undefined) {
        runAcross(requests, voidAt, done)
      } else if (isPlanLane(lane)) run(lane.plan, requests, voidAt, done)
      else runEach(requests, voidAt, done)
    },
    ping: () => (closed ? Promise.resolve(false) : ping()),
    async close() {
      closed = true
    },
  }
}

function fail(
  requests: readonly StoreRequest[],
  cause: unknown,
  done: (answers: readonly Answer[]) => void,
): void {
  const error = failureOf('redis', cause)
  done(requests.map(() => error))
}

function isReply(reply: unknown): boolean {
  try {
    readReply(reply)
    return true
  } catch {
    return false
  }
}

function areAnswers(answers: readonly (Answer | typeof stale)[]): answers is readonly Answer[] {
  return !answers.includes(stale)
}

function farClock(): Answer {
  return sluiceError('SLUICE_STORE_FAILED', 'redis', 'its clock is far from ours')
}

/** Longer than any client keeps a call in its queue. */
const neverMs = 86_400_000
