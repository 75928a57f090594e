import { expect, test } from 'vitest'
import { misreadLines } from './damaged-lines.js'
import { vendors } from './vendors.js'

test.each(vendors)('none of 100,000 changed lines of $format is misread ($source)', (vendor) => {
  expect(
    misreadLines(vendor, 100_000)
      .slice(0, 2)
      .map((o) => JSON.stringify(o)),
  ).toEqual([])
})
