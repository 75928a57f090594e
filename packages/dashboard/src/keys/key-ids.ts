import { hash, randomBytes } from 'node:crypto'

/** The characters of an id: 132 bits. */
const idLength = 22

/**
 * Names keys without showing them, so that a key which `mask` hides can be acted upon. The hash contains a secret that all processes share: without it, a
 * visitor could find the key of an id by trying all addresses.
 */
export class KeyIds {
  #secret = randomBytes(18).toString('base64url')

  get secret(): string {
    return this.#secret
  }

  /** Takes the secret of all processes. */
  share(secret: string): void {
    this.#secret = secret
  }

  idOf(limiter: string, key: string): string {
    // As JSON, because UTF-8 has no form for a lone surrogate, and two keys would have one id.
    const text = JSON.stringify([this.#secret, limiter, key])
    return hash('sha256', text, 'base64url').slice(0, idLength)
  }
}
