import assert from 'node:assert/strict'

/** The database keeps the contract, and a limiter counts in it; then the program ends. */
export async function ownStore(program) {
  await program.end()
  assert.match(program.output, /^Sent\. 99 more this hour\.$/m)
  const [, passed] = /^# pass (\d+)$|^ℹ pass (\d+)$/m.exec(program.output)?.filter(Boolean) ?? []
  assert.ok(Number(passed) > 10, 'the tests of @sluice/testing did not run')
  return `${passed} tests of the contract passed`
}
