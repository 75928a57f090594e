// Loads two documents in turn, as fast as it can, and keeps each of them.
import { loadRules, pollSource } from '@sluice/rules'

const [keep, ...documents] = process.argv.slice(2)
let turn = 0
const rules = await loadRules({ source: pollSource(() => documents[turn++ % 2]), keep })
process.stdout.write('loaded\n')
for (;;) await rules.reload()
