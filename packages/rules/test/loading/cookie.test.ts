import { expect, test } from 'vitest'
import { Cookies } from '../../src/loading/cookie.js'

test.each([
  ['a=1; b=2', 'b', ['2']],
  ['a=1; b=2', 'c', []],
  ['a=1;b=2', 'b', ['2']],
  ['a=first; a=second', 'a', ['first']],
  ['a=; a=second', 'a', []],
  ['a="quoted value"', 'a', ['quoted value']],
  ['a="%41"', 'a', ['A']],
  ['a=b=c', 'a', ['b=c']],
  ['a=caf%C3%A9', 'a', ['café']],
  ['a=100%', 'a', ['100%']],
  ['a= 1 ; b=2', 'a', ['1']],
  ['a=', 'a', []],
  ['a; b=2', 'a', []],
  ['=1; a=2', 'a', ['2']],
  ['=1', '', ['1']],
  ['xa=1', 'a', []],
  ['A=1', 'a', []],
  ['a b=1', 'a', []],
  ['__proto__=1', '__proto__', ['1']],
  ['', 'a', []],
  // Parsers disagree about spaces around the name,
  ['a =1; a=2', 'a', ['1', '2']],
  ['\ta=1; a=2', 'a', ['1', '2']],
  ['\u00a0a=1; a=2', 'a', ['2', '1']],
  ['a\u00a0=1', 'a', ['', '1']],
  ['a =1', 'a', ['1', '']],
  ['  a=1; a=2', 'a', ['1']],
  // and about quotes.
  ['a="', 'a', ['', '"']],
  ['a="1', 'a', ['"1', '']],
  ['a="12', 'a', ['"12', '1']],
  ['a= "1"', 'a', ['1', '"1"']],
])('in %j the cookie %j is %j', (header, name, values) => {
  expect(new Cookies(header).valuesOf(name)).toEqual(values)
})
