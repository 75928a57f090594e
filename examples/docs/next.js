// #region store
import { createLimiter, memoryStore, slidingWindow } from '@sluice/core'

globalThis.limitStore ??= memoryStore()

export const limiter = createLimiter({
  name: 'api',
  policies: slidingWindow({ limit: 100, window: '1m' }),
  store: globalThis.limitStore,
})
// #endregion
