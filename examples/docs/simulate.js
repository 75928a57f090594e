import { simulate } from '@sluice/cli/simulate'
import { gcra, slidingWindow } from '@sluice/core'

const report = await simulate({
  log: 'access.log',
  variants: {
    current: { policies: slidingWindow({ limit: 60, window: '1m' }) },
    smoother: { policies: gcra({ limit: 60, window: '1m', burst: 20 }), key: 'ip' },
  },
})
for (const { name, asked, denied, keysDenied } of report.variants) {
  console.log(`${name}: ${denied} of ${asked} requests denied, from ${keysDenied} client(s)`)
}
