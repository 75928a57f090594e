// Checked by npm run check:types, with `experimentalDecorators` and with standard decorators.
import type { Request, Response } from 'express'
import { RateLimit, rateLimit } from '../../../../src/index.js'

const once = RateLimit({ limit: 1, window: '1m' })

interface UserRequest extends Request {
  readonly user: { readonly id: string }
}

export class Reports {
  readonly #tenant = 'acme'

  @RateLimit({ limit: 1, window: '1m', key: (request) => request.path })
  read(request: Request, response: Response): void {
    response.send(request.path)
  }

  @once
  async create(): Promise<void> {}

  @once
  find(request: Request<{ id: string }>, response: Response<{ id: string }>): void {
    response.json({ id: request.params.id })
  }

  @once
  own(request: UserRequest, response: Response): void {
    response.send(request.user.id)
  }

  @once
  ofTenant(this: Reports, _request: Request, response: Response): void {
    response.send(this.#tenant)
  }

  // @ts-expect-error: not a handler
  @once
  count(id: number): number {
    return id
  }

  // @ts-expect-error: a middleware is not a decorator
  @rateLimit({ limit: 1, window: '1m' })
  remove(): void {}
}
