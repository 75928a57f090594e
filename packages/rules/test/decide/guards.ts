import { EventEmitter } from 'node:events'
import { fixedWindow, type Policy } from '@sluice/core'
import { createGuard, type Action, type NodeResponse } from '@sluice/core/http'
import type { Outcome } from '../../src/index.js'
import type { RuleMatch } from '../../src/internal.js'
import { asks, consumption, rulesOf, type MadeRule } from './judged.js'
import {
  noHeaders,
  response,
  start,
  viewOf,
  type Handler,
  type Options,
  type Visit,
} from './visit.js'

export const perMinute = (limit: number): Policy => fixedWindow({ limit, window: '1m' })

/** A guard whose rules judge each request in the same way. */
export function guardOf(judgement: RuleMatch | Promise<RuleMatch>, options: Options = {}) {
  return createGuard<Visit, Handler>({ clock: () => start, rules: rulesOf(judgement), ...options })
}

/** A guard that asks one consumption. */
export function guardBy(rules: Readonly<Record<string, MadeRule>>, options: Options = {}) {
  return guardOf(asks({ enforced: [consumption(rules)] }), options)
}

export type Made = ReturnType<typeof guardOf>

export async function actionOf(guard: Made, headers = {}): Promise<Action<Handler>> {
  const action = await guard.check(viewOf({}, { headers }), response, noHeaders)
  return action
}

/** A response that the test ends. */
export class Ending extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false

  finish(statusCode: number): void {
    this.statusCode = statusCode
    this.writableEnded = true
    this.emit('finish')
  }

  end(): void {}
}

export async function respond(guard: Made, answer: NodeResponse): Promise<Action<Handler>> {
  return guard.check(viewOf({}), answer, noHeaders)
}

export const refusal = (outcome: Outcome) =>
  ({ type: 'refuse', version: 'v1', tags: ['seen'], rule: 'bad', outcome }) as const
