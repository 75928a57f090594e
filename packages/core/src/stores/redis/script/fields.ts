/** The variables of a plan that have the number of a policy or of a key, but for the cells and params of the steps, which are used most. */
const numbered =
  /\b(?:bound|blockEnd|blockLength|cost|ended|fits|found|head|heads|isInitial|key|length|life|packed|params|recordKeys|resets|row|saved|starts|state|steps)\d+\b/g

/** A declaration of nothing else. */
const declaration = new RegExp(
  `^( *)local (${numbered.source}(?:, ${numbered.source})*)( =|$)`,
  'gm',
)

/**
 * The script with the fields of one table in place of numbered variables. A Lua function has at most 200 local variables, which the policies of a long
 * list would exceed.
 */
export function overFields(script: string): string {
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
