import assert from 'node:assert/strict'

/** What is admitted and what is denied is counted, and can be read. */
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
