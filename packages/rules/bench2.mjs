import { compileRules, parsedOf, parseRules } from './dist/index.js'
import { stringify } from 'yaml'
function doc(n, shape) {
  return {
    version: 1,
    name: 'bench',
    values: { action: 'string', plan: ['free', 'pro'], user: 'string' },
    rules: Array.from({ length: n }, (_, i) => ({
      id: `r${i}`,
      when:
        shape === 'koala'
          ? { action: `act${i % Math.max(1, (n / 4) | 0)}`, method: 'POST', 'header.x': ['a', 'b'] }
          : { path: `/api/v${i}/:id/**`, method: ['GET', 'POST'], plan: 'pro' },
      key: shape === 'koala' ? 'user' : 'ip',
      limit: 10 + i,
      window: '1m',
    })),
  }
}
for (const shape of ['koala'])
  for (const n of [10000]) {
    if (process.argv[2] === 'parse') {
      for (let k = 0; k < 4; k++) parsedOf(doc(n, shape))
      process.exit()
    }
    const d = doc(n, shape)
    let t = performance.now()
    const parsed = parsedOf(d)
    const tp = performance.now() - t
    t = performance.now()
    const rules = await compileRules(parsed)
    const tc = performance.now() - t
    const facts = Array.from({ length: 64 }, (_, i) => {
      const v = {
        action: `act${(i * 7919) % Math.max(1, (n / 4) | 0)}`,
        plan: 'pro',
        user: `u${i}`,
      }
      return {
        method: 'POST',
        url: `/api/v${(i * 7919) % n}/5/x`,
        ip: `203.0.113.${i}`,
        header: () => 'a',
        value: (name) => v[name],
      }
    })
    let applied = 0
    for (let i = 0; i < 200000; i++) {
      const j = rules.judge(facts[i & 63], 0)
      applied += j.type === 'ask' ? j.enforced[0].rules.size : 0
    }
    let best = Infinity
    for (let r = 0; r < 8; r++) {
      t = performance.now()
      for (let i = 0; i < 50000; i++) rules.judge(facts[i & 63], 0)
      best = Math.min(best, ((performance.now() - t) / 50000) * 1000)
    }
    console.log(
      shape,
      n,
      'parse',
      tp.toFixed(0),
      'compile',
      tc.toFixed(0),
      'judge µs',
      best.toFixed(2),
      'applied',
      applied / 200000,
    )
  }
const text = stringify(doc(10000, 'koala'))
let t = performance.now()
parseRules({ text, format: 'yaml', files: new Map() })
console.log('yaml', (text.length / 1e6).toFixed(1) + 'MB', (performance.now() - t).toFixed(0), 'ms')
