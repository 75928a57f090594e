import assert from 'node:assert/strict'

/** Plain fetch is refused some times, and limitedFetch never. */
export async function fetchClient(program) {
  await program.end()
  const [plain, limited] = program.output.trim().split('\n')
  const [, refused] = /^plain fetch: \d+ answered, (\d+) refused/.exec(plain) ?? []
  assert.ok(Number(refused) > 0, 'plain fetch was not refused')
  assert.match(limited, /^limitedFetch: 12 answered, 0 refused/)
  return `of 12 calls, plain fetch was refused ${refused}, limitedFetch none`
}
