export function signatureText(name, { generics, params, returns }) {
  const each = params.map(({ name, optional, type }) => `${name}${optional}: ${type}`)
  const line = `${name}${generics}(${each.join(', ')}): ${returns}`
  if (line.length <= 100) return line
  return `${name}${generics}(\n${each.map((param) => `  ${param},\n`).join('')}): ${returns}`
}

export function callText(name, params, withTypes = false) {
  const each = params.map(
    ({ name, optional, type }) => `${name}${optional}${withTypes ? `: ${type}` : ''}`,
  )
  return `${name}(${each.join(', ')})`
}

export function fenced(code) {
  return `\`\`\`ts\n${code}\n\`\`\``
}

export function codeCell(code) {
  return code === '' ? '' : `\`${code}\``
}

export function row(cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

export function joined(...parts) {
  return parts.filter((part) => part !== '').join('\n\n')
}

export function table(head, rows) {
  return rows.length === 0 ? '' : `${head}\n|---|---|---|\n${rows.join('\n')}`
}
