import { unlimited } from '@sluice/core'
import { createModel } from '../models/model.js'
import { unlimitedMeaning } from '../models/unlimited.js'
import type { Followed } from './sample.js'

/** The policy without a limit. It is in no family, because the suites of the families need a quota. */
export const unlimitedSample: Followed = {
  policy: unlimited(),
  // The random traffic derives its costs from this number.
  quota: 1000,
  windowMs: 1000,
  starts: [],
  createModel: () => createModel(unlimitedMeaning),
}
