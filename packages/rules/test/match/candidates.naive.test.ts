import { runs } from '@sluice/test-kit/random'
import { test } from 'vitest'
import { expectSameJudgements } from '../naive/same-judgements.js'

test('has the same judgements as a walk through the list, for random documents and requests', async () => {
  await expectSameJudgements(Array.from({ length: runs(250) }, (_, i) => 1 + i))
})
