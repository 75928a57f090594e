import assert from 'node:assert/strict'

/** The metrics count allowed and denied requests. */
export async function metrics({ ask }) {
  for (let i = 0; i < 5; i++) assert.equal((await ask('/')).status, 200)
  for (let i = 0; i < 2; i++) assert.equal((await ask('/')).status, 429)
  const text = await (await ask('/metrics')).text()
  const count = (outcome) =>
    new RegExp(
      `^sluice_decisions_total\\{limiter="hello",outcome="${outcome}",source="store"\\} (\\d+)$`,
      'm',
    ).exec(text)?.[1]
  assert.deepEqual([count('allowed'), count('denied')], ['5', '2'])
  return '5 requests counted as allowed, 2 as denied'
}
