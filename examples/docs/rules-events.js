// @ts-nocheck -- the messages of channels have no type
// The events of a document of rules.
import assert from 'node:assert/strict'
// #region events
import { subscribe } from 'node:diagnostics_channel'

subscribe('sluice:rules', ({ name, state, version, error, changes, warnings = [] }) => {
  console.log(name, state, version, error?.message)
  if (changes?.removed.length > 0) console.log('removed rules:', changes.removed)
  for (const { line, message } of warnings) console.log(`line ${line}: ${message}`)
})
// #endregion
import { fileSource, loadRules } from '@sluice/rules'

let published = 0
subscribe('sluice:rules', () => published++)
const rules = await loadRules({ source: fileSource('rules.yaml') })
assert.equal(published, 1)
rules.close()
