import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { drawn, nextPoll, serve, type Served } from './open-dashboard.js'
import { scenarios, type ScenarioName } from './scenarios.js'

const names = Object.keys(scenarios) as ScenarioName[]

let served: Served
let axe: string
beforeAll(async () => {
  served = await serve()
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return served.stop
})

/** The rules of axe-core that the page breaks, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
}

const openFirst = async (page: Page) => {
  await page
    .getByRole('button', { name: /^(?:Block|Exempt) / })
    .first()
    .click()
  await page.getByRole('dialog').locator('.quota').first().waitFor()
}
const focused = async (page: Page) =>
  page.evaluate<string>(
    `document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()`,
  )

/** The dark page has other colors and the same elements, so a few states show all of its colors. */
describe.each([
  { colorScheme: 'light', states: names },
  { colorScheme: 'dark', states: ['attack', 'refused'] },
] as const)('in $colorScheme', ({ colorScheme, states }) => {
  test.each(states)('%s: axe finds nothing', async (name) => {
    const { page } = await served.open(name, { colorScheme })
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })

  test('axe finds nothing on a phone', async () => {
    const { page } = await served.open('attack', {
      colorScheme,
      viewport: { width: 390, height: 844 },
    })
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })

  test('axe finds nothing in the dialog, before and after an act', async () => {
    const { page } = await served.open('attack', { colorScheme })
    await openFirst(page)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Reason').fill('attack')
    await page.keyboard.press('Enter')
    await page.locator('.notice[data-tone=good]').waitFor()
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })

  test('axe finds nothing in old figures, the table of the hour, and the search', async () => {
    const { page } = await served.open('busy', { colorScheme })
    await page.getByText('By policy or rule').click()
    await page.getByText('Show as a table').click()
    await page.getByRole('button', { name: /^Search Redis/ }).click()
    await page.getByText(/^\s*Searched/).waitFor()
    served.server.answer.status = 500
    await nextPoll(page)
    delete served.server.answer.status
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })
})

test.each(names)('%s: on a phone the page is not wider than the screen', async (name) => {
  const { page } = await served.open(name, { viewport: { width: 390, height: 844 } })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  if (name === 'attack' || name === 'hostile') {
    await openFirst(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await page.locator('dialog').evaluate((element) => element.scrollWidth)).toBe(390)
  }
  await page.context().close()
})

test('a key is blocked by the keyboard alone, and the focus returns to its row', async () => {
  const { page } = await served.open('busy')
  served.server.reset()
  const tabTo = async (name: string) => {
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab')
      if ((await focused(page)) === name) return
    }
    throw new Error(`the keyboard does not reach "${name}"`)
  }
  await tabTo('Block customer:acme-logistics')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').locator('.quota').first().waitFor()
  expect(await focused(page)).toBe('customer:acme-logistics')
  await tabTo('24h')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('too many requests')
  await tabTo('Block for 24 h')
  await page.keyboard.press('Enter')
  await page.locator('.notice[data-tone=good]').waitFor()
  expect(served.server.acts.map(({ body }) => [body.act, body.length, body.reason])).toEqual([
    ['block', '24h', 'too many requests'],
  ])
  await page.keyboard.press('Escape')
  await nextPoll(page)
  expect(await focused(page)).toMatch(/^(?:Unb|B)lock customer:acme-logistics$/)
  await page.context().close()
})

test('a dialog that is closed stays closed when the page is drawn before the event of the closing', async () => {
  const { page } = await served.open('busy')
  const dialog = page.locator('#key-dialog')
  await openFirst(page)
  await page.evaluate(`(() => {
    document.querySelector('#key-dialog').close()
    document.querySelector('.pause').click()
  })()`)
  await drawn(page)
  expect(await dialog.isVisible()).toBe(false)
  expect(await focused(page)).toMatch(/^(?:Block|Exempt) /)

  await openFirst(page)
  await page.evaluate(`(() => {
    document.querySelector('#key-dialog').close()
    document.querySelectorAll('.keys button.key')[1].click()
  })()`)
  await drawn(page)
  await dialog.locator('.quota').first().waitFor()
  const second = await page.locator('.keys button.key').nth(1).textContent()
  expect(await dialog.locator('#key-title').textContent()).toBe(second)
  await page.context().close()
})

test('the focus is visible on every control', async () => {
  const { page } = await served.open('busy')
  const reached = new Set<string>()
  for (let i = 0; i < 70; i += 1) {
    await page.keyboard.press('Tab')
    const { name, outline } = await page.evaluate<{ name: string; outline: string }>(`(() => {
      const element = document.activeElement
      const shown = element.type === 'radio' ? element.nextElementSibling : element
      return { name: element.outerHTML.slice(0, 60), outline: getComputedStyle(shown).outlineStyle }
    })()`)
    if (name.startsWith('<body')) break
    expect([name, outline]).toEqual([name, 'solid'])
    reached.add(name)
  }
  expect(reached.size).toBeGreaterThan(10)
  await page.context().close()
})

test('the focus and the order survive polls in which the list changes', async () => {
  const { page } = await served.open('busy')
  const keys = async () => page.locator('.keys .key bdi').allTextContents()
  const before = await keys()
  await page.getByRole('button', { name: 'Exempt 2001:db8:85a3::8a2e' }).focus()
  served.server.answer.view = (view) => {
    const [api, ...others] = view.limiters
    const [, ...rows] = api.denied.map((row, i) => Object.assign(row, { denials: 5000 + i * 100 }))
    return { ...view, limiters: [{ ...api, denied: rows }, ...others] }
  }
  await nextPoll(page)
  await nextPoll(page)
  expect(await focused(page)).toBe('Exempt 2001:db8:85a3::8a2e')
  expect(await keys()).toEqual(before)
  expect(await page.locator('.keys tr.gone').allInnerTexts()).toEqual([
    expect.stringContaining('203.0.113.64'),
  ])
  expect(await page.getByText('The order is held while you are in the list.').count()).toBe(1)

  await page.locator('#pause').focus()
  await nextPoll(page)
  expect(await keys()).not.toContain('203.0.113.64')
  expect(await keys()).not.toEqual(before.slice(1))
  delete served.server.answer.view
  await page.context().close()
})

test('a text that is being written survives polls', async () => {
  const { page } = await served.open('busy')
  await page.getByPlaceholder('Look a key up').pressSequentially('203.0.')
  await nextPoll(page)
  await page.keyboard.type('113.1')
  expect(await page.getByPlaceholder('Look a key up').inputValue()).toBe('203.0.113.1')
  await page.context().close()
})

test('polls move no element', async () => {
  const { page } = await served.open('busy')
  await page.evaluate(`
    window.shifts = []
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift', buffered: true })`)
  await nextPoll(page)
  await nextPoll(page)
  expect(await page.evaluate('window.shifts')).toEqual([])
  await page.context().close()
})

test('new limited keys are said to a screen reader', async () => {
  const { page } = await served.open('calm')
  served.server.answer.view = (view) => ({ ...view, limiters: scenarios.busy(view.at).limiters })
  await nextPoll(page)
  expect(await page.getByRole('status').first().textContent()).toBe('7 keys are limited now.')
  delete served.server.answer.view
  await page.context().close()
})

test('without motion, the dot does not pulse', async () => {
  const { page } = await served.open('busy', { reducedMotion: 'reduce' })
  const name = `getComputedStyle(document.querySelector('.dot')).animationName`
  expect(await page.evaluate(name)).toBe('none')
  await page.context().close()
})
