import type { Comparison } from './ratios.js'

/** Why other libraries are ahead, by the rows that a reason explains. */
const reasons: readonly { readonly rows: RegExp; readonly text: string }[] = [
  {
    rows: /^(?:import and|the same after|MB installed|time of the first|decisions in the first)/,
    text: `**In a new process:** the first decisions, the import after that of Express, and the size on the disk. Sluice has more code.
  [Cold starts](../docs/operate/serverless.md#cold-starts) lists what helps.`,
  },
  {
    rows: /^(?:decisions|denials|time of a new key) in memory/,
    text: `**In memory.** Sluice hashes each key with a secret, so that no client can choose keys that collide, and reads a clock
  that never steps. For a new key, it also fills a row of a typed array, which takes longer and needs less memory.`,
  },
  {
    rows: /^longest delay of the event loop/,
    text: `**The longest delay of the event loop while keys expire.** Sluice removes expired keys in small steps. The other
  algorithms of Sluice expire in the same way: [their rows](#footprint) show the spread.`,
  },
  {
    rows: /^(?:decisions per second over Redis|p99 latency|(?:Redis|client) CPU for a decision|Redis time of a script)/,
    text: `**Over Redis, with few decisions in flight.** A decision of Sluice runs a script that computes the sliding window; most
  others send a plain command or a shorter script. With 64 or more in flight, one call decides for many requests.`,
  },
  {
    rows: /^decisions per second over (?:PostgreSQL|SQLite)/,
    text: `**Over PostgreSQL and SQLite, with few decisions in flight.** Sluice saves a row only if no other process has changed it, which carries
  every algorithm. rate-limiter-flexible adds to a fixed window in a single statement.`,
  },
  {
    rows: /^server CPU (?:per request|that a limiter)/,
    text: `**In the CPU time of a request.** Most of it is the cost of headers ([the rows](#added)). Sluice also decides by a sliding
  window, and remembers the decision for a refund.`,
  },
  {
    rows: /^memory per key in Redis/,
    text: `**Memory in Redis.** The default algorithm keeps six numbers for each key, most others one.`,
  },
]

/** A list of the reasons for the rows in which another library is ahead, and of the rows that no reason explains. */
export function behindList(comparisons: readonly Comparison[]): string {
  const behind = comparisons.filter(({ better, ours, peer }) =>
    better === 'more' ? ours < peer : ours > peer,
  )
  if (behind.length === 0) return 'No other library is ahead in a row.'
  const known = reasons.filter(({ rows }) => behind.some(({ work }) => rows.test(work)))
  const unexplained = behind.filter(({ work }) => !reasons.some(({ rows }) => rows.test(work)))
  return [
    'Other libraries are ahead in these rows:\n',
    ...known.map(({ text }) => `- ${text}`),
    ...unexplained.map(({ work }) => `- ${work}.`),
  ].join('\n')
}
