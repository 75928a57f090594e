import { runtimes } from '../src/runtimes.js'
import { describeBehaviours } from '../src/behaviours.js'

const advice: Readonly<Record<string, string>> = {
  Bun: 'Bun.serve({ fetch: limit(handler) })',
  Deno: 'Deno.serve(limit(handler))',
  workerd: `address: { header: 'CF-Connecting-IP' }`,
  'workerd with nodejs_compat': `address: { header: 'CF-Connecting-IP' }`,
}

for (const { name, missing, serve } of runtimes) {
  describeBehaviours({
    name,
    missing,
    advice: advice[name] ?? 'serve({ fetch: limit(handler) })',
    serve: async () => serve('behaviours.js'),
  })
}
