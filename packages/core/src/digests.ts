import { _SHA1 as SHA1 } from '@noble/hashes/legacy.js'
import { _SHA256 as SHA256 } from '@noble/hashes/sha2.js'
import { withProcess } from './runtime.js'

export function sha256BytesOf(text: string): Uint8Array {
  return new SHA256().update(utf8(text)).digest()
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** SHA-256, in hexadecimal digits. */
export function sha256Of(text: string): string {
  return hexadecimal(sha256BytesOf(text))
}

/** SHA-1, in hexadecimal digits. It is computed at once, which `crypto.subtle` does not do. */
export function sha1Of(text: string): string {
  // Every client of Redis has loaded the module. Without it, the first digest of a long text takes milliseconds.
  const crypto = withProcess((process) => process.getBuiltinModule?.('node:crypto'))
  if (crypto !== undefined) return crypto.createHash('sha1').update(text).digest('hex')
  return hexadecimal(new SHA1().update(utf8(text)).digest())
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** Base64 for URLs (RFC 4648, section 5), without padding. */
export function base64urlOf(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
