// RFC 9651, section 3.3.1: an integer has at most 15 digits. A quota may have 16.
export function structuredInteger(value: number): number {
  return Math.min(value, 999_999_999_999_999)
}

/**
 * RFC 9651, section 3.3.3: a string contains printable ASCII only. All other characters and the percent sign are percent-encoded as UTF-8, so that
 * decodeURIComponent restores every name and two names never have the same text.
 */
export function structuredString(text: string): string {
  const ascii = text.replace(/[^ -$&-~]+/g, percentEncoded)
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}

function percentEncoded(text: string): string {
  return Array.from(
    new TextEncoder().encode(text),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
