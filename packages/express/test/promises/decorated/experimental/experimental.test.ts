import type { NextFunction, Request, Response } from 'express'
import { expect, test } from 'vitest'
import { fixedWindow, RateLimit, type RateLimitOptions } from '../../../../src/index.js'
import { start } from '../../../apps.js'
import { describeDecorated, type Reports } from '../suite.js'

const once = {
  limit: 1,
  window: '1m',
  algorithm: fixedWindow,
  clock: () => start,
} satisfies RateLimitOptions

async function noKey(): Promise<string> {
  throw new Error('no key')
}

/** Each call makes a new class with new limiters. */
function reportsOf(): Reports {
  class ReportsByCompiler {
    readonly tenant: string = 'acme'

    @RateLimit({ ...once, key: (request) => request.path })
    read(request: Request, response: Response) {
      const left = request.rateLimit?.remaining
      response.send(`${this.tenant} reads ${request.path}, ${left} left`)
    }

    @RateLimit(once)
    async create() {
      throw new Error('create is broken')
    }

    @RateLimit({ ...once, key: noKey })
    update(_request: Request, response: Response) {
      response.send('updated')
    }

    @RateLimit(once)
    remove(_request: Request, _response: Response, _next: NextFunction) {
      throw new Error('remove is broken')
    }
  }
  return new ReportsByCompiler()
}

describeDecorated(reportsOf)

test('the decorator is called with the arguments of `experimentalDecorators`', () => {
  const calledWith: string[] = []
  function note(...args: unknown[]): void {
    calledWith.push(...args.map((arg) => typeof arg))
  }
  class Noted {
    @note
    read() {}
  }
  expect([Noted.name, ...calledWith]).toEqual(['Noted', 'object', 'string', 'object'])
})
