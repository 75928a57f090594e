import { expect, test } from 'vitest'
import { misreadLines } from './damaged-lines.js'
import { vendors } from './vendors.js'

test.each(vendors)(
  'none of 100,000 changed lines of $format is misread ($source)',
  (vendor) => {
    expect(misreadLines(vendor, 100_000)).toEqual([])
  },
  600_000,
)
