import {
  Catch,
  Controller,
  Get,
  HttpException,
  Inject,
  Req,
  UseFilters,
  type ArgumentsHost,
} from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import { describe, expect, test } from 'vitest'
import {
  byUser,
  RateLimit,
  RateLimiters,
  RequestException,
  SluiceError,
  type NestRequest,
} from '../src/index.js'
import { decorate, once, platforms, serve } from './apps.js'

const key = byUser(() => null)

describe.each(platforms)('%s', (_, adapter) => {
  test('a filter of HttpException receives the error of a request without its key', async () => {
    const caught: HttpException[] = []
    class Filter extends BaseExceptionFilter {
      override catch(exception: HttpException, host: ArgumentsHost): void {
        caught.push(exception)
        // oxlint-disable-next-line promise/valid-params -- a method of a filter, not of a promise
        super.catch(exception, host)
      }
    }
    Catch(HttpException)(Filter)
    class Items {
      readonly #limiters: RateLimiters
      constructor(limiters: RateLimiters) {
        this.#limiters = limiters
      }
      limited() {
        return 'never'
      }
      async asked(request: NestRequest) {
        return this.#limiters.keyOf(request, 'Items.limited')
      }
    }
    decorate(Items, [Controller(), UseFilters(Filter)], {
      limited: [Get('limited'), RateLimit({ ...once, key })],
      asked: [Get('asked')],
    })
    Req()(Items.prototype, 'asked', 0)
    Inject(RateLimiters)(Items, undefined, 0)
    const ask = await serve(adapter(), { controllers: [Items], providers: [RateLimiters] })
    for (const path of ['/limited', '/asked']) {
      const response = await ask(path)
      expect([response.status, JSON.parse(response.text)]).toEqual([
        400,
        { statusCode: 400, message: 'The request has no user.' },
      ])
    }
    for (const exception of caught) {
      expect(exception).toBeInstanceOf(RequestException)
      expect(exception).toMatchObject({ code: 'SLUICE_USER_MISSING' })
      expect([exception.getStatus(), exception.cause instanceof SluiceError]).toEqual([400, true])
    }
    expect(caught.length).toBe(2)
  })
})
