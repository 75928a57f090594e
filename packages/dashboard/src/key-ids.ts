import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'

/** The characters of the id of a listed key: 132 bits. */
const idLength = 22

/** The most ids that are remembered: those of a view with all lists of 25 limiters. */
const mostKnown = 8000

const algorithm = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/**
 * Names keys without showing them, so that a key which `mask` hides can be acted upon. Both forms contain a secret that all processes share: without it, a visitor
 * could find the key of an id by trying all addresses.
 */
export class KeyIds {
  #secret = randomBytes(18).toString('base64url')
  /** The ids of the last views, by the limiter and the key: a page asks for the same keys every two seconds. */
  readonly #known = new Map<string, string>()

  get secret(): string {
    return this.#secret
  }

  /** Takes the secret of all processes. */
  share(secret: string): void {
    if (secret !== this.#secret) this.#known.clear()
    this.#secret = secret
  }

  /** The id of a listed key, which is found again in the lists. A view has thousands, so it is a short hash. */
  idOf(limiter: string, key: string): string {
    const name = `${limiter}\0${key}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    // As JSON, because UTF-8 has no form for a lone surrogate, and two keys would have one id.
    const text = JSON.stringify([this.#secret, limiter, key])
    const id = hash('sha256', text, 'base64url').slice(0, idLength)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(name, id)
    return id
  }

  /** The id of a key that no list may have: the encrypted key, which each process can read. It is always the same, so that a key that is found twice is listed once. */
  sealed(limiter: string, key: string): string {
    // Derived from the text: two different texts never share an initialization vector.
    const text = JSON.stringify([limiter, key])
    const iv = createHmac('sha256', this.#cipherKey()).update(text).digest().subarray(0, ivLength)
    const cipher = createCipheriv(algorithm, this.#cipherKey(), iv)
    cipher.setAAD(Buffer.from(JSON.stringify(limiter)))
    const encrypted = Buffer.concat([cipher.update(JSON.stringify(key)), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')
  }

  /** The key of an id that `sealed` has made with this secret. */
  opened(limiter: string, id: string): string | undefined {
    if (id.length <= idLength) return undefined
    const bytes = Buffer.from(id, 'base64url')
    const [iv, tag] = [bytes.subarray(0, ivLength), bytes.subarray(ivLength, ivLength + tagLength)]
    try {
      const options = { authTagLength: tagLength }
      const decipher = createDecipheriv(algorithm, this.#cipherKey(), iv, options)
      decipher.setAAD(Buffer.from(JSON.stringify(limiter)))
      decipher.setAuthTag(tag)
      const text = decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8')
      const key: unknown = JSON.parse(text + decipher.final('utf8'))
      return typeof key === 'string' ? key : undefined
    } catch {
      return undefined
    }
  }

  #cipherKey(): Buffer {
    return hash('sha256', `sealed ${this.#secret}`, 'buffer')
  }
}
