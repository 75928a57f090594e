import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlayground, type Playground } from './open-playground.js'
import { faintTexts, focused, redrawsWithin, tooWide } from './in-page.js'
import { open, type Opened } from './page.js'

let playground: Playground
beforeAll(async () => {
  playground = await openPlayground()
  return playground.stop
})

const algorithms = [
  'Fixed window',
  'Sliding window',
  'Sliding log',
  'GCRA',
  'Token bucket',
  'Leaky bucket',
  'Leaky queue',
  'Concurrency',
]

test('the keyboard reaches every control, and the focus is visible', async () => {
  const { page } = await open(playground)
  const reached: string[] = []
  const focusNext = async () => {
    await page.keyboard.press('Tab')
    const { name, outline } = await page.evaluate(focused)
    expect(outline).toBe('solid')
    reached.push(name)
    return name
  }
  while ((await focusNext()) !== 'algorithm');
  await page.keyboard.press('ArrowRight')
  expect(await page.locator('#chosen-name').textContent()).toBe('Sliding log')
  while ((await focusNext()) !== 'pattern');
  await page.keyboard.press('ArrowRight')
  expect(await page.locator('#words').textContent()).toMatch(/^A little less/)
  while ((await focusNext()) !== 'number-limit');
  await page.keyboard.press('ArrowLeft')
  expect(await page.locator('#code').textContent()).toContain('limit: 4')
  while ((await focusNext()) !== 'send');
  await page.keyboard.press('Enter')
  await page.getByText('Request 1: allowed.').waitFor()
  while ((await focusNext()) !== 'headers');
  expect(reached).toEqual([
    'choosing',
    'docs',
    'algorithm',
    'pattern',
    'other-name',
    'number-limit',
    'number-window',
    'number-granted',
    'Copy the code',
    'As code',
    'grant',
    'replay',
    'send',
    'Copy the command',
    'A request from a terminal',
    'headers',
  ])
  await page.close()
})

describe('on a phone of 360 pixels', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(playground, { viewport: { width: 360, height: 780 } })
  })
  afterAll(async () => opened.page.close())

  test.each(algorithms)('%s: no element is wider than the screen', async (name) => {
    const { page, choose, send } = opened
    await choose(name)
    await page.getByRole('slider', { name: /Limit|Leak|Refill/ }).fill('4')
    await send()
    expect(await page.evaluate(tooWide)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})

test.each(['light', 'dark'] as const)('in %s all text has enough contrast', async (colorScheme) => {
  const { page, send } = await open(playground, { colorScheme })
  await send()
  expect(await page.evaluate(faintTexts)).toEqual([])
  await page.close()
})

test('with reduced motion the chart moves in steps', async () => {
  const redraws = async (reducedMotion: 'reduce' | 'no-preference') => {
    const { page, send } = await open(playground, { reducedMotion })
    await send()
    const counted = await page.evaluate(redrawsWithin, 1200)
    await page.close()
    return counted
  }
  expect(await redraws('reduce')).toBeLessThan(4)
  expect(await redraws('no-preference')).toBeGreaterThan(10)
})
