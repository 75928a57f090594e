import { processTime } from '../../clock.js'
import { sluiceError } from '../../errors.js'
import { redisKey } from '../../keys.js'
import { failureOf } from '../layers/failure.js'
import { storeOf, type Run } from '../layers/run.js'
import type { Answer, AsyncStore, StoreRequest } from '../store.js'
import type { ScriptClient } from './client/script-client.js'
import {
  argsOf,
  decodeDirect,
  encodeDirect,
  isDirectRequest,
  type DirectRequest,
  unread,
  type DirectLane,
} from './direct.js'
import { createEvaluation, createGeneralScript, type Script } from './evaluation.js'
import { isDirectLane, type Lanes } from './lanes.js'
import { createPings } from './pings.js'
import { readReply } from './reply.js'
import { createServerClock, type ServerClock } from './server-clock.js'
import { acrossSlots } from './slots.js'
import { decodeReply, encodeCall, failureIn, pingArgs, stale } from './wire.js'

/** Runs the requests of a call with the script of their lane. The general script decides requests without a lane. */
export function createCalls(
  client: ScriptClient,
  prefix: string,
  timeoutMs: number,
  { slotOf, leaveToGeneral }: Pick<Lanes, 'slotOf' | 'leaveToGeneral'>,
): AsyncStore {
  const evaluate = createEvaluation(client)
  const scriptFor = createGeneralScript()
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

  /** Resolves to undefined if the call arrived too late. */
  async function call(
    requests: readonly StoreRequest[],
    voidAt: number,
  ): Promise<readonly (Answer | typeof stale)[] | undefined> {
    const clock = clockFor(requests)
    const now = clock.at(processTime.monotonic())
    const { algorithms, keys, args } = encodeCall(prefix, requests, now)
    const reply = await new Promise<readonly unknown[]>((resolve, reject) =>
      send(scriptFor(algorithms), keys, [`${clock.at(voidAt)}`, ...args], clock, resolve, reject),
    )
    return decodeReply(reply, requests)
  }

  async function run(
    requests: readonly StoreRequest[],
    voidAt: number,
  ): Promise<readonly Answer[]> {
    // A void call took nothing, and its reply corrected the clock, so one repetition is safe.
    const answers = (await call(requests, voidAt)) ?? (await call(requests, voidAt))
    if (answers === undefined) throw tooLate()
    if (areAnswers(answers)) return answers
    const again = requests.filter((_, i) => answers[i] === stale)
    const late = [...((await call(again, voidAt)) ?? [])]
    return answers.map((answer) => (answer === stale ? answered(late.shift()) : answer))
  }

  function tooLate(): Error {
    return sluiceError('SLUICE_STORE_TIMEOUT', 'redis', timeoutMs)
  }

  /** A refund stays valid however late it arrives. All other calls become void at the timeout, because their caller no longer waits. */
  function voidAtOf(
    requests: readonly StoreRequest[],
    askedAt: number = processTime.monotonic(),
  ): number {
    const isRefund = requests.every(({ verb }) => verb === 'refundReceipt')
    return askedAt + (isRefund ? neverMs : timeoutMs)
  }

  function runAll(requests: readonly StoreRequest[], voidAt: number): Promise<readonly Answer[]> {
    if (!client.isCluster) return run(requests, voidAt)
    const ask = (some: readonly StoreRequest[]) => run(some, voidAt)
    const undo = (some: readonly StoreRequest[]) => run(some, voidAtOf(some))
    return acrossSlots(ask, undo, slotOf)(requests)
  }

  function runGeneral(
    requests: readonly StoreRequest[],
    voidAt: number,
    answered: (answers: readonly Answer[]) => void,
  ): void {
    runAll(requests, voidAt).then(answered, (cause) => fail(requests, cause, answered))
  }

  function runDirect(
    lane: DirectLane,
    requests: readonly DirectRequest[],
    voidAt: number,
    done: (answers: readonly Answer[]) => void,
    isAgain: boolean,
  ): void {
    const asked = encodeDirect(lane.direct, requests)
    const clock = clockFor(requests)
    const args = argsOf(lane, clock.at(voidAt), asked.counts)
    function read(reply: readonly unknown[]): void {
      if (reply.length === 1) {
        if (isAgain) fail(requests, tooLate(), done)
        else runDirect(lane, requests, voidAt, done, true)
        return
      }
      const answers = decodeDirect(reply, lane, asked, requests.length, failureIn)
      if (areRead(answers)) {
        done(answers)
        return
      }
      const again = requests.filter((_, i) => answers[i] === unread)
      for (const request of again) leaveToGeneral(request)
      runGeneral(again, voidAt, (late) => {
        let next = 0
        done(answers.map((answer) => (answer === unread ? late[next++] : answer)))
      })
    }
    send(lane.direct.script, asked.keys, args, clock, read, (cause) => fail(requests, cause, done))
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

  const runByLane: Run = (requests, done, info) => {
    if (closed) {
      fail(requests, sluiceError('SLUICE_STORE_CLOSED', 'redis'), done)
      return
    }
    const voidAt = voidAtOf(requests, info?.askedAt)
    const lane = info?.lane
    if (isDirectLane(lane) && requests.every(isDirectRequest))
      runDirect(lane, requests, voidAt, done, false)
    else runGeneral(requests, voidAt, done)
  }

  return storeOf(runByLane, {
    ping: () => (closed ? Promise.resolve(false) : ping()),
    async close() {
      closed = true
    },
  })
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

function areRead(answers: readonly (Answer | typeof unread)[]): answers is readonly Answer[] {
  return !answers.includes(unread)
}

/** Converts the second answer to a request whose first answer was stale. */
function answered(answer: Answer | typeof stale | undefined): Answer {
  if (answer !== undefined && answer !== stale) return answer
  return sluiceError('SLUICE_STORE_FAILED', 'redis', 'its clock is far from ours')
}

/** Longer than any client keeps a call in its queue. */
const neverMs = 86_400_000
