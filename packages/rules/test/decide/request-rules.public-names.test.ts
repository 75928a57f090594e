import { parseList } from '../../../core/node_modules/structured-headers/dist/index.js'
import { expect, test } from 'vitest'
import { fixedWindow } from '@sluice/core'
import { createGuard, type EarlierHeaders, type Guard } from '@sluice/core/http'
import { asks, consumption, rulesOf } from './judged.js'
import {
  denialOf,
  fieldsOf,
  noHeaders,
  response,
  start,
  viewOf,
  type Handler,
  type Visit,
} from './visit.js'

const none = fixedWindow({ limit: 0, window: '1m' })
const more = fixedWindow({ limit: 0, window: '1h' })

type Made = Guard<Visit, Handler>

/** The names of policies in a denial: those of the two fields, which have to be equal, and those of the problem. */
async function namesIn(guard: Made, earlier: EarlierHeaders = noHeaders) {
  const action = denialOf(await guard.check(viewOf({}), response, earlier))
  const fields = fieldsOf(action)
  const [policies, limits] = [fields['RateLimit-Policy'], fields['RateLimit']].map((field) =>
    parseList(field).map(([name]) => name),
  )
  expect(policies).toEqual(limits)
  return { names: policies, violated: JSON.parse(action.body)['violated-policies'] }
}

/** The headers of a response that has this field already. */
function having(value: unknown): EarlierHeaders {
  return { getHeader: (name) => (name === 'RateLimit' ? value : undefined) }
}

test('gets a number in a rule, whose id is its name otherwise', async () => {
  const rules = rulesOf(
    asks({ enforced: [consumption({ api: { policy: none }, default: { policy: more } })] }),
  )
  const guard = createGuard<Visit, Handler>({ rules, clock: () => start })
  const names = ['api', 'default']
  expect(await namesIn(guard)).toEqual({ names, violated: names })
  expect(await namesIn(guard, having('"api";r=1'))).toEqual({
    names: ['api-2', 'default'],
    violated: ['api-2', 'default'],
  })
})
