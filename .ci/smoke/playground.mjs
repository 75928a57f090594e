import assert from 'node:assert/strict'
import { assertAllowed, assertDenied } from './answers.mjs'

/** The server serves the page and the modules of its import map, decides by the policy in the query, and rejects invalid numbers. */
export async function playground({ ask }) {
  const page = await (await ask('/')).text()
  const { imports } = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(page)?.[1] ?? '')
  for (const url of Object.values(imports)) {
    const { status, headers } = await ask(url)
    assert.equal(status, 200)
    assert.match(headers.get('Content-Type') ?? '', /^text\/javascript/)
  }
  assert.equal((await ask('/modules/../server.js')).status, 404)

  const question = '/ask?run=smoke&algorithm=gcra&limit=2&window=10&burst=2'
  for (let i = 0; i < 2; i++) {
    const response = await ask(question)
    assertAllowed(response)
    assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=2;w=10')
  }
  await assertDenied(await ask(question), 'default')
  const asked = question.replace('/ask', '/grant')
  assert.equal(
    await (await ask(asked, { method: 'POST' })).text(),
    'Granted 5 more for a minute.\n',
  )
  assertAllowed(await ask(question))
  for (const wrong of ['limit=0', 'limit=1e9', 'window=x', 'algorithm=toString', 'run=']) {
    assert.equal((await ask(`/ask?run=smoke&${wrong}`)).status, 400, wrong)
  }
  return `the page and ${Object.keys(imports).length} packages for the browser served, 2 requests allowed, then 429, and 1 more by a grant`
}
