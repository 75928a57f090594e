export function callText(name, params, withTypes = false) {
  const each = params.map(
    ({ name, optional, type }) => `${name}${optional}${withTypes ? `: ${type}` : ''}`,
  )
  return `${name}(${each.join(', ')})`
}

/** A member with its type, or only its name. */
export function memberCode({ name, optional = '', isMethod, signature, type }, withTypes) {
  const start = `${name}${optional}`
  if (!isMethod) return withTypes ? `${start}: ${type}` : start
  const call = callText(start, signature.params, withTypes)
  return withTypes ? `${call}: ${signature.returns}` : call
}

export function joined(...parts) {
  return parts.filter((part) => part !== '').join('\n\n')
}

export function spaced(...parts) {
  return parts.filter((part) => part !== '').join(' ')
}

/** An item of a list, and the items below it. */
export function item(code, text, below = []) {
  return [`- \`${code}\`: ${text}`, ...below.map((one) => `  ${one}`)].join('\n')
}
