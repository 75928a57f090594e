import type { PlanShape } from './policies.js'

// A Lua function has at most 200 local variables, and 250 values at a time. The script of a long list of policies has fewer: most variables of a policy are
// fields of a table, and a long list of values is in a table.

const mostWithLocals = 6

function isLong({ policies }: PlanShape): boolean {
  return policies.length > mostWithLocals
}

/** The variables that have the number of a policy or of a key, but for the cells and params of the steps, which are used most. */
const numbered =
  /\b(?:bound|blockEnd|blockLength|cost|ended|fits|found|head|heads|isInitial|key|length|life|packed|params|recordKeys|resets|row|saved|starts|state|steps)\d+\b/g

/** A declaration of nothing else. */
const declaration = new RegExp(
  `^( *)local (${numbered.source}(?:, ${numbered.source})*)( =|$)`,
  'gm',
)

/** The script with fields in place of these variables, if the list is long. */
export function withFields(script: string, shape: PlanShape): string {
  if (!isLong(shape)) return script
  const names = new Set(script.match(numbered))
  // Created with all of its fields, because a table that grows is copied.
  const fields = [...names].map((name) => `${name} = false`)
  const body = script
    .replace(declaration, (_, space: string, variables: string, equals: string) => {
      return `${space}${variables}${equals === '' ? ' = nil' : equals}`
    })
    .replace(numbered, 'all.$&')
  return `local all = { ${fields.join(', ')} }\n${body}`
}

/** An assignment of the results of a call. */
export function assign(variables: readonly string[], call: string, shape: PlanShape): string {
  if (!isLong(shape)) return `${variables.join(', ')} = ${call}`
  const each = variables.map((name, i) => `${name} = values[${i + 1}]`)
  return `local values = { ${call} }
      ${each.join('\n      ')}`
}

/** The arguments of a call. */
export function passed(args: readonly string[], shape: PlanShape): string {
  return isLong(shape) ? `unpack({ ${args.join(', ')} })` : args.join(', ')
}
