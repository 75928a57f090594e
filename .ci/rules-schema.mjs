// Writes the JSON Schema of documents of rules, which editors read, from the zod schema that reads them. A test compares both.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchema } from '../packages/rules/dist/document/schema.js'
import { root } from './workspace.mjs'

const file = join(root, 'packages/rules/schema.json')
writeFileSync(file, `${JSON.stringify(jsonSchema(), undefined, 2)}\n`)
console.log('packages/rules/schema.json: written')
