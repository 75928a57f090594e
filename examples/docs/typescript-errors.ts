// Mistakes that do not compile.
// #region errors
import { byIp, rateLimit, slidingWindow } from '@sluice/express'

const user = slidingWindow({ limit: 60, window: '1m' })

export const mistakes = [
  // @ts-expect-error: the unit is missing
  () => rateLimit({ limit: 100, window: '60' }),
  // @ts-expect-error: an option of another library
  () => rateLimit({ limit: 100, windowMs: 60_000 }),
  // @ts-expect-error: the header may be absent, and undefined is not a key
  () => rateLimit({ policies: user, key: (req) => req.get('X-API-Key') }),
  // @ts-expect-error: no policy has the name "address"
  () => rateLimit({ policies: { user }, key: { user: 'ada', address: byIp() } }),
  // @ts-expect-error: no policy has the name "usr"
  () => rateLimit({ policies: { user }, cost: { usr: 5 } }),
]
// #endregion
