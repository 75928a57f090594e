import { describe, expect, test } from 'vitest'
import { parse, tableOf } from '../../../src/simulate/rules/table.js'

describe('parse', () => {
  test.each<readonly [string, readonly (readonly string[])[]]>([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\r1\r', [['a'], ['1']]],
    ['\ufeffa,b\n', [['a', 'b']]],
    ['"a ""b""","c,d"\n', [['a "b"', 'c,d']]],
    ['"a\nb",c\n', [['a\nb', 'c']]],
    [
      'a,\n,b\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a\n\n\nb\n', [['a'], ['b']]],
    ['a,"",c', [['a', '', 'c']]],
    ['', []],
  ])('%j', (text, rows) => {
    expect(parse(text)).toEqual(rows)
  })
})

describe('tableOf', () => {
  test('has a row for each value of the column, and the other columns as values', () => {
    const table = tableOf('user,plan,seats\nalice,pro,5\nbob,free\n', 'user')
    expect([...table.columns]).toEqual(['plan', 'seats'])
    expect(table.on).toBe('user')
    expect(table.rows.get('alice')?.get('plan')).toBe('pro')
    expect(table.rows.get('bob')?.get('seats')).toBe('')
    expect(table.rows.get('carol')).toBe(undefined)
  })

  test('the column can be any one', () => {
    const table = tableOf('plan,user\npro,alice\n', 'user')
    expect(table.rows.get('alice')?.get('plan')).toBe('pro')
  })
})
