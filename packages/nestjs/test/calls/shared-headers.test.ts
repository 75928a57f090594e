import { expect, test } from 'vitest'
import { SharedHeaders } from '../../src/calls/shared-headers.js'

/** The headers of a response that an earlier middleware has written. */
function responseWith(earlier: Record<string, string>) {
  const written = new Map(Object.entries(earlier))
  const headers = SharedHeaders.of(written, {
    getHeader: (name) => written.get(name),
    setHeader: (name, value) => written.set(name, value),
    removeHeader: (name) => written.delete(name),
  })
  return { headers, written: () => Object.fromEntries(written) }
}

test('the latest headers of a limit replace its earlier ones, and join those of the others', () => {
  const { headers, written } = responseWith({ RateLimit: '"early";r=3;t=60' })
  const [one, two] = [headers.of({}), headers.of({})]
  one.write([
    ['RateLimit', '"one";r=1;t=60'],
    ['Retry-After', '60'],
  ])
  two.write([['RateLimit', '"two";r=9;t=60']])
  expect(one.getHeader('RateLimit')).toBe('"early";r=3;t=60, "two";r=9;t=60')
  one.write([['RateLimit', '"one";r=0;t=60']])
  expect(written()).toEqual({ RateLimit: '"early";r=3;t=60, "one";r=0;t=60, "two";r=9;t=60' })
})

test('a header that a limit removes has the value that it had before', () => {
  const { headers, written } = responseWith({ 'Retry-After': '5' })
  const own = headers.of({})
  own.write([
    ['Retry-After', '60'],
    ['RateLimit', '"one";r=0;t=60'],
  ])
  own.removeHeader('Retry-After')
  expect(written()).toEqual({ 'Retry-After': '5', RateLimit: '"one";r=0;t=60' })
})

test('the numbers of a tighter limit stay', () => {
  const tight = { 'X-RateLimit-Limit': '5', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '9' }
  const { headers, written } = responseWith(tight)
  headers.of({}).write([
    ['X-RateLimit-Limit', '100'],
    ['X-RateLimit-Remaining', '99'],
    ['X-RateLimit-Reset', '60'],
  ])
  expect(written()).toEqual(tight)
})
