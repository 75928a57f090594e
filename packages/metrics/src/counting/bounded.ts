/** The name of all names for which there is no room. */
export const other = 'other'

/** The names that may still be added. Several lists can share the room. */
export interface Room {
  left: number
}

/**
 * A value for each name. A name for which there is no room has the value of the name "other". So a metric has a limited number of series, also if an application
 * makes a limiter or a policy for each of its customers.
 */
export class Bounded<T> {
  readonly #values = new Map<string, T>()
  readonly #room: Room
  readonly #create: (name: string) => T

  constructor(room: Room, create: (name: string) => T) {
    this.#room = room
    this.#create = create
  }

  get(name: string): T {
    return this.#values.get(name) ?? this.#added(name)
  }

  #added(name: string): T {
    if (name !== other) {
      if (this.#room.left <= 0) return this.get(other)
      this.#room.left--
    }
    const value = this.#create(name)
    this.#values.set(name, value)
    return value
  }
}
