// RFC 9651, section 3.3.1: an integer has 15 digits at most, a quota may have 16.
export function structuredInteger(value: number): number {
  return Math.min(value, 999_999_999_999_999)
}

/**
 * RFC 9651, section 3.3.3: a string holds printable ASCII only. All other characters are percent-encoded in UTF-8, and so is the percent sign
 * itself, so that decodeURIComponent gives back every name and two names never look the same.
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
