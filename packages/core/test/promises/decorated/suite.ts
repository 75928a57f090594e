import { expect, test } from 'vitest'
import { DeniedError, type Limiter } from '../../../src/index.js'
import { errorOf } from '../../error-of.js'
import type { DecoratedClass } from './reports.js'

/** Tests `limited` on the methods of a class. `decorateAccessor` applies it to an accessor, as the system does. */
export function describeDecorated(
  ReportsOf: DecoratedClass,
  limiter: Limiter,
  calledWith: readonly string[],
  decorateAccessor: () => unknown,
): void {
  test('the compiler calls decorators in the form of its system', () => {
    expect(ReportsOf.calledWith).toEqual(calledWith)
  })

  test('a method keeps its "this", its arguments and its value', async () => {
    expect(await new ReportsOf('kept').read('ada', 2)).toBe('kept reads ada, page 2')
    expect(await new ReportsOf('kept').read('bob')).toBe('kept reads bob, page 1')
  })

  test('the description of a call sees "this" and the arguments', async () => {
    const [acme, initech] = [new ReportsOf('acme'), new ReportsOf('initech')]
    expect(await acme.create('ada', 1)).toBe('acme writes 1')
    expect(await initech.create('ada', 1)).toBe('initech writes 1')
    expect(await acme.create('ada', 1)).toBe('ada is denied 1')
    expect(await initech.create('eve', 2)).toBe('eve is denied 2')
    expect(await limiter.peek(['acme', 'ada'])).toMatchObject({ remaining: 0 })
  })

  test('a denied call of a method rejects', async () => {
    const reports = new ReportsOf('denied')
    await reports.read('eve')
    await expect(reports.read('eve')).rejects.toBeInstanceOf(DeniedError)
  })

  test('a static method is also limited', async () => {
    expect(await ReportsOf.all()).toBe('all')
    await expect(ReportsOf.all()).rejects.toBeInstanceOf(DeniedError)
  })

  test('a method keeps its name and its length', () => {
    const { create } = ReportsOf.prototype
    expect([create.name, create.length]).toEqual(['create', 2])
  })

  test('an accessor is an error, and not left without a limit', () => {
    const { code, message } = errorOf(decorateAccessor)
    expect(code).toBe('SLUICE_OPTION_INVALID')
    expect(message).toContain('a method or a function: fields, accessors and classes')
  })
}
