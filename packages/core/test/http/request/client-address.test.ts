import { describe, expect, test } from 'vitest'
import { addressesOf, addressOption, type AddressOption } from '../../../src/http/index.js'
import { readOptions } from '../../../src/internal.js'
import { errorOf } from '../../error-of.js'

interface Asked {
  readonly own?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The address of a request, and the advice for one without an address. */
function found(
  option: AddressOption<Asked, string> | undefined,
  request: Asked,
): { address: string | undefined; advice: string } {
  const addresses = addressesOf<Asked, string>(option, {
    peer: ({ own }, platform) => own ?? platform,
    header: ({ headers }, platform, name) => (platform === 'p' ? headers[name] : 'other request'),
    advice: () => 'Name a header',
  })
  return { address: addresses.of(request, 'p'), advice: addresses.advice() }
}

test('no header is read by default', () => {
  const headers = {
    'x-forwarded-for': '6.6.6.6',
    'x-real-ip': '6.6.6.6',
    'cf-connecting-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
  }
  expect(found(undefined, { own: '192.0.2.1', headers })).toEqual({
    address: '192.0.2.1',
    advice: 'Name a header',
  })
  expect(found(undefined, { headers }).address).toBe('p')
})

test.each<[number, string | string[] | undefined, string]>([
  [1, '1.2.3.4', '1.2.3.4'],
  [1, '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  [1, '6.6.6.6,1.2.3.4', '1.2.3.4'],
  [2, '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
  [3, '1.2.3.4, 10.0.0.2', '1.2.3.4'],
  [2, ['6.6.6.6, 1.2.3.4', '10.0.0.2'], '1.2.3.4'],
  [1, '1.2.3.4, ', ''],
  [1, '', ''],
  [1, undefined, '10.0.0.1'],
])('behind %i proxies, X-Forwarded-For: %o is from %s', (proxies, list, address) => {
  const headers = list === undefined ? {} : { 'x-forwarded-for': list }
  expect(found({ proxies }, { own: '10.0.0.1', headers })).toEqual({
    address,
    advice: expect.stringContaining(`Their number is ${proxies}`),
  })
})

test.each<[string | string[] | undefined, string | undefined]>([
  [' 1.2.3.4 ', '1.2.3.4'],
  [['1.2.3.4', '6.6.6.6'], '1.2.3.4,6.6.6.6'],
  [undefined, undefined],
])('a named header with %o is the address, and no other one', (value, address) => {
  const headers = { 'cf-connecting-ip': value, 'x-forwarded-for': '6.6.6.6' }
  expect(found({ header: 'CF-Connecting-IP' }, { own: '10.0.0.1', headers })).toEqual({
    address,
    advice: expect.stringContaining('it is in the header "CF-Connecting-IP"'),
  })
})

test('a function finds the address in the request and the platform', () => {
  const option: AddressOption<Asked, string> = ({ own }, platform) => `${own} of ${platform}`
  const advice = expect.stringContaining('The function "address" has to return')
  const asked = { own: '10.0.0.1', headers: {} }
  expect(found(option, asked)).toEqual({ address: '10.0.0.1 of p', advice })
  expect(found(() => null, asked)).toEqual({ address: undefined, advice })
})

describe('the option', () => {
  test.each([
    ['SLUICE_OPTION_INVALID', 1, 'Pass { proxies: 1 }'],
    ['SLUICE_OPTION_INVALID', 'X-Real-IP', 'named by { header }'],
    ['SLUICE_OPTION_INVALID', true, '"address" is true'],
    ['SLUICE_OPTION_INVALID', { proxies: 0 }, '1 or more'],
    ['SLUICE_OPTION_INVALID', { proxies: 1.5 }, '1 or more'],
    ['SLUICE_OPTION_INVALID', { proxies: '1' }, '1 or more'],
    ['SLUICE_OPTION_INVALID', { header: '' }, 'the name of a header'],
    ['SLUICE_OPTION_INVALID', { header: 'X Y' }, 'the name of a header'],
    ['SLUICE_OPTION_INVALID', { header: 1 }, 'the name of a header'],
    ['SLUICE_OPTION_MISSING', {}, '"proxies"'],
    ['SLUICE_OPTION_MISSING', { header: undefined }, '"proxies"'],
    ['SLUICE_OPTION_UNKNOWN', { header: 'X-Real-IP', proxies: 1 }, '"proxies"'],
    ['SLUICE_OPTION_UNKNOWN', { proxys: 1 }, '"proxies"'],
  ])('is %s for %o', (code, address, advice) => {
    const error = errorOf(() => readOptions('rateLimit', { address }, { address: addressOption }))
    expect(error.code).toBe(code)
    expect(error.message).toContain(advice)
  })

  test.each([
    undefined,
    { proxies: 2 },
    { proxies: 1, header: undefined },
    { header: 'X-Real-IP', proxies: undefined },
    () => '192.0.2.1',
  ])('may be %o', (address) => {
    const read = readOptions('rateLimit', { address }, { address: addressOption })
    expect(read.address).toBe(address)
  })
})
