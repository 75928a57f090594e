import { createLimiter, fixedWindow, type Limiter } from '../../../src/index.js'

/** The public face of a class, whichever system decorated its methods. */
export interface Reports {
  read(id: string, page?: number): Promise<string>
  create(id: string, pages: number): Promise<string>
}

export interface DecoratedClass {
  new (tenant: string): Reports
  all(): Promise<string>
  /** The types of the arguments that the compiler passes to decorators. */
  readonly calledWith: readonly string[]
}

/** A limiter that allows one call a minute for each key. Test files can share modules, so each file has a limiter of its own. */
export function newLimiter(): Limiter {
  return createLimiter({
    name: 'reports',
    policies: fixedWindow({ limit: 1, window: '1m' }),
    clock: () => 0,
  })
}

/** A decorator that only records the types of its arguments. */
export function noting(calledWith: string[]): (...args: unknown[]) => void {
  return (...args) => {
    calledWith.push(...args.map((arg) => typeof arg))
  }
}
