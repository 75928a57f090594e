import { createLimiter, fixedWindow, type Limiter } from '../../src/index.js'

/** What a class looks like from outside, by whatever system its methods were decorated. */
export interface Reports {
  read(id: string, page?: number): Promise<string>
  create(id: string, pages: number): Promise<string>
}

export interface DecoratedClass {
  new (tenant: string): Reports
  all(): Promise<string>
  /** How the compiler calls decorators: what it passes, one entry for each argument. */
  readonly calledWith: readonly string[]
}

/** One call a minute for each key. */
export const limiter: Limiter = createLimiter({
  name: 'reports',
  policies: fixedWindow({ limit: 1, window: '1m' }),
  clock: () => 0,
})

/** A decorator that only takes down what it is called with. */
export function noting(calledWith: string[]): (...args: unknown[]) => void {
  return (...args) => {
    calledWith.push(...args.map((arg) => typeof arg))
  }
}
