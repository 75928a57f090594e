import assert from 'node:assert/strict'

/** The metrics count allowed and denied requests. */
export async function metrics({ ask }) {
  for (let i = 0; i < 5; i++) assert.equal((await ask('/')).status, 200)
  for (let i = 0; i < 2; i++) assert.equal((await ask('/')).status, 429)
  const lines = (await (await ask('/metrics')).text()).split('\n')
  for (const line of [
    'sluice_decisions_total{limiter="hello",outcome="allowed",source="store"} 5',
    'sluice_decisions_total{limiter="hello",outcome="denied",source="store"} 2',
    'sluice_denials_total{limiter="hello",policy="default"} 2',
    'sluice_fallback_active{limiter="hello"} 0',
  ]) {
    assert.ok(lines.includes(line), `the metrics lack the line ${line}`)
  }
  return '5 requests counted as allowed, 2 as denied'
}
