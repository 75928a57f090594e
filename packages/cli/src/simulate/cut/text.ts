/** Decodes a field as UTF-8. Each character of `bytes` is one byte. */
export function textOf(bytes: string): string {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes.charCodeAt(i) > 127) return Buffer.from(bytes, 'latin1').toString('utf8')
  }
  return bytes
}

/** Copies a text. A slice would keep the whole text from which it was cut in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Replaces the escapes in a field of Apache or nginx: `\"`, `\\` and `\xHH`. */
export function unescaped(bytes: string): string {
  if (!bytes.includes('\\')) return bytes
  return bytes.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/g, (_, hex?: string, character?: string) =>
    hex === undefined
      ? (escapes[character ?? ''] ?? character ?? '')
      : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', v: '\v' }

/** The position of the quote that ends a quoted field, or -1. An escaped quote does not end it. */
export function closingQuote(text: string, start: number, end: number): number {
  let at = text.indexOf('"', start)
  while (at !== -1 && at < end && isEscaped(text, at, start)) at = text.indexOf('"', at + 1)
  return at < end ? at : -1
}

function isEscaped(text: string, at: number, start: number): boolean {
  let backslashes = 0
  while (at - backslashes > start && text.charCodeAt(at - backslashes - 1) === 0x5c) backslashes++
  return backslashes % 2 === 1
}

/** The number in these digits, or -1. */
export function digits(text: string, start: number, end: number): number {
  if (start >= end || end - start > 15) return -1
  let value = 0
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
