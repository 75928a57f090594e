import { runs } from '@sluice/test-kit/random'
import { expect, test } from 'vitest'
import { misreadLines } from './damaged-lines.js'
import { vendors } from './vendors.js'

test.each(vendors)(
  'a changed line of $format is refused, or read as its definition says ($source)',
  (vendor) => {
    expect(misreadLines(vendor, runs(2000))).toEqual([])
  },
)
