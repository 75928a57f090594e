import { SluiceError } from '@sluice/core'
import { expect, test } from 'vitest'
import { methodUnseen, moduleRegistered, requestMissing } from '../src/errors.js'

test.each([
  [
    'SLUICE_OPTIONS_INVALID',
    moduleRegistered(0),
    ['RateLimitModule: the options are undefined', 'imports: [RateLimitModule.forRoot({'],
  ],
  [
    'SLUICE_OPTIONS_CONFLICT',
    moduleRegistered(2),
    ['another forRoot or forRootAsync', 'imports 2 of them', 'policies: {', '@RateLimit'],
  ],
  [
    'SLUICE_REQUEST_MISSING',
    requestMissing(),
    ['the context of GraphQL', '"context"', '({ req }) => ({ req })', 'extra.request'],
  ],
  [
    'SLUICE_METHOD_UNSEEN',
    methodUnseen('Items.name'),
    ['Items.name', "fieldResolverEnhancers: ['guards', 'interceptors']", 'UseGuards'],
  ],
])('the message of %s says what to do', (code, error, words) => {
  expect(error).toBeInstanceOf(SluiceError)
  expect(error.code).toBe(code)
  for (const word of words) expect(error.message).toContain(word)
})
