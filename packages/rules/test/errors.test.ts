import { expect, test } from 'vitest'
import { RulesError, rulesErrorCodes, type RulesErrorCode } from '../src/errors.js'

const ofRequests = ['SLUICE_RULES_VALUE_MISSING', 'SLUICE_RULES_VALUE_INVALID']

test.each(rulesErrorCodes.map((code) => [code, ofRequests.includes(code) ? 400 : undefined]))(
  '%s has the status %s',
  (code, status) => {
    const error = new RulesError(code as RulesErrorCode, 'a message')
    expect([error.status, error.statusCode, error.expose]).toEqual([
      status,
      status,
      status === undefined ? undefined : true,
    ])
    const byRequest = new RulesError(code as RulesErrorCode, 'a message', { byRequest: true })
    expect([byRequest.status, byRequest.statusCode, byRequest.expose]).toEqual([400, 400, true])
  },
)

test('both codes that a request causes are codes of the package', () => {
  expect(rulesErrorCodes.filter((code) => ofRequests.includes(code)).toSorted()).toEqual(
    ofRequests.toSorted(),
  )
})
