import * as core from '@sluice/core'
import * as fetch from '@sluice/fetch'
import * as next from '@sluice/fetch/next'

/** Whether the route contains one core: a store, counts and errors of one package are those of the others. */
export function GET() {
  const store = core.memoryStore()
  const answers = [core, fetch, next].map(
    ({ createLimiter, SluiceError }) =>
      SluiceError === core.SluiceError &&
      createLimiter({ name: 'copies', limit: 2, window: '1m', store }).consume('ada').allowed,
  )
  return Response.json(answers)
}
