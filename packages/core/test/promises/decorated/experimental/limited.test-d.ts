// Checked by npm run check:types, with `experimentalDecorators` and with standard decorators.
import { limited } from '../../../../src/index.js'
import { newLimiter } from '../reports.js'

const limiter = newLimiter()

const byFirst = limited(limiter, (id: string) => ({ key: ['user', id] }))

export class Reports {
  @byFirst
  async read(id: string, page = 1): Promise<string> {
    return `${id} ${page}`
  }

  @limited(
    limiter,
    function (this: Reports, id: string, pages: number) {
      return { key: this.read.name + id, cost: pages }
    },
    { onDenied: (_decision, id) => id },
  )
  async create(id: string, pages: number): Promise<string> {
    return `${id} ${pages}`
  }

  // @ts-expect-error: the method takes a number
  @byFirst
  async count(id: number): Promise<number> {
    return id
  }

  // @ts-expect-error: the class declares a value, and the method would return a promise
  @byFirst
  title(id: string): string {
    return id
  }

  // @ts-expect-error: the function belongs to another class
  @limited(limiter, function (this: Date) {
    return { key: this.toISOString() }
  })
  async today(): Promise<void> {}

  // @ts-expect-error: a denied call would return another type
  @limited(limiter, () => ({ key: 'all' }), { onDenied: () => 5 })
  async all(): Promise<string> {
    return 'all'
  }
}
