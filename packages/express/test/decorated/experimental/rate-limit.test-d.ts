// Checked under `experimentalDecorators` by the test beside it, and with all others by npm run check:types.
import type { Request, Response } from 'express'
import { RateLimit, rateLimit } from '../../../src/index.js'

const once = RateLimit({ limit: 1, window: '1m' })

export class Reports {
  @RateLimit({ limit: 1, window: '1m', key: (request) => request.path })
  read(request: Request, response: Response): void {
    response.send(request.path)
  }

  @once
  async create(): Promise<void> {}

  // @ts-expect-error: this is no handler
  @once
  count(id: number): number {
    return id
  }

  // @ts-expect-error: that is a middleware
  @rateLimit({ limit: 1, window: '1m' })
  remove(): void {}
}
