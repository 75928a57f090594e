import { runs } from '@sluice/test-kit/random'
import { test } from 'vitest'
import { expectSameJudgements } from '../naive/same-judgements.js'

test(
  'has the same judgements as a walk through the list, for more random documents and requests',
  { timeout: 3_600_000 },
  // SLUICE_RUNS=20 for the long run. The quick test has the documents of smaller seeds.
  async () => expectSameJudgements(Array.from({ length: runs(500) }, (_, i) => 1000 + i)),
)
