/**
 * Keeps one object of many alive, and with it the objects that it refers to. At a full garbage collection V8 discards code that depends on the hidden class of
 * objects of which none is alive, and the next thousands of decisions would take several times as long: the collections come when a process has been idle for
 * some seconds.
 */
export class Kept<T> {
  #count = 0
  /** The one that is kept. */
  object: T | undefined

  /** Keeps one object in 64, because a reference from an old object to a new one takes time. */
  offer(object: T): void {
    this.#count = (this.#count + 1) & 63
    if (this.#count === 1) this.object = object
  }
}
