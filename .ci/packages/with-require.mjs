import assert from 'node:assert/strict'

/** The same program as a CommonJS module: each static import becomes a call of `require`. */
export function withRequire(program) {
  const imports = []
  const rest = program.replace(/^import (?:([^']*?) from )?'([^']*)';?$/gm, (_, names, module) => {
    imports.push(required(names, module))
    return ''
  })
  const body = rest.replace(/^export (?:\{.*\};$|(?=class |let |const |function ))/gm, '')
  assert.doesNotMatch(body, /^(?:import|export) /m, 'with-require.mjs does not know this form')
  // CommonJS has no `await` outside of functions.
  return `${imports.join('\n')}\n!(async () => {\n${body}\n})()\n`
}

/** `import a from`, `import { b as c } from`, `import * as d from` or no names at all. */
function required(names, module) {
  const call = `require('${module}')`
  if (names === undefined) return call
  return `const ${names.replace(/^\* as /, '').replaceAll(' as ', ': ')} = ${call}`
}
