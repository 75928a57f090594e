/**
 * The value of a cookie in a `Cookie` header (RFC 6265, section 4.2.1), as the cookie parsers of Express and Koa read it: the first of several cookies
 * of a name, without quotes, decoded if it can be decoded.
 */
export function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    return decoded(unquoted(pair.slice(equals + 1).trim()))
  }
  return undefined
}

function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value
}

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
