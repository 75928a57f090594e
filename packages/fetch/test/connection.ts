import { Socket } from 'node:net'

/** A socket of Node, whose other end has this address. */
export class Connection extends Socket {
  readonly #address: string

  constructor(address: string) {
    super()
    this.#address = address
  }

  static {
    // The types of Node declare a property, which a class cannot replace by a getter.
    Object.defineProperty(Connection.prototype, 'remoteAddress', {
      get(this: Connection) {
        return this.#address
      },
    })
  }
}
