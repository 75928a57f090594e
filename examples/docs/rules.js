// @ts-nocheck -- the functions of `values` take the application's own request
// The limits of a server in a document.
import assert from 'node:assert/strict'
// #region quick
import { rateLimit } from '@sluice/express'
import { fileSource, loadRules } from '@sluice/rules'
import express from 'express'

const rules = await loadRules({
  source: fileSource('rules.yaml'),
  values: {
    user: (req) => req.user?.id,
    plan: (req) => req.user?.plan ?? 'free',
  },
})

const app = express()
app.use(rateLimit({ rules }))
// #endregion
import { readRulesFile } from '@sluice/rules'
import { checkRules, runTests } from '@sluice/rules/check'
import { statuses, visit } from './check/visit.js'

app.get('/health', (req, res) => res.send('Healthy.\n'))
app.get('/api/items', (req, res) => res.send('Items.\n'))
await visit(app, async (ask) => {
  assert.deepEqual([...new Set(await statuses(ask, 60, '/api/items'))], [200])
  assert.equal((await ask('/API//items/')).status, 429)
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
})
rules.close()

for (const path of ['rules-by-feature.yaml', '../rules/rules.yaml']) {
  const { current, close } = await loadRules({ source: fileSource(path) })
  const results = await runTests(current)
  assert.ok(results.length > 0)
  const { tests, findings } = await checkRules(await readRulesFile(path))
  assert.deepEqual(tests, results)
  for (const { passed } of results) assert.ok(passed)
  for (const { severity } of findings) assert.equal(severity, 'warning')
  close()
}
