import { describe, expect, test } from 'vitest'
import { withTable } from '../src/publish.js'

const text =
  'before\n<!-- one -->\n\nold\n\n<!-- /one -->\nbetween\n<!-- two --><!-- /two -->\nafter'

describe('the tables of the README', () => {
  test('a section’s stands between its marks, in the place of the one before', () => {
    expect(withTable(withTable(text, 'one', 'new'), 'two', 'other')).toBe(
      'before\n<!-- one -->\n\nnew\n\n<!-- /one -->\nbetween\n<!-- two -->\n\nother\n\n<!-- /two -->\nafter',
    )
  })

  test.each(['', '<!-- one -->', '<!-- /one --><!-- one -->', `${text}${text}`])(
    'nothing is written where there is not one pair of marks: %j',
    (text) => {
      expect(() => withTable(text, 'one', 'new')).toThrow('not one pair of marks')
    },
  )
})
