import type { RequestListener } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs, seed } from '@sluice/test-kit/random'
import type { Application } from './applications.js'
import { common, forms, ofPattern } from './documents.js'
import { exchange } from './exchange.js'
import { createKeyWatch, exemptionsOf, mistakesOf, wrongExemptions } from './mistakes.js'
import { randomUrls } from './random-url.js'
import { patterns, routes, type Ran } from './routes.js'
import { Spy } from './spy.js'

/** 20,000 with `SLUICE_RUNS=10`. */
const count = runs(2000)

const formsOfPattern = ['deny', ...Object.values(forms).flat()]

/** Describes what random URLs cannot do to the rules of applications, which run in this process. */
export function describeUrls(applications: readonly Application[]): void {
  describe(`${count} random URLs (SLUICE_SEED=${seed})`, () => {
    const started = new Map<Application, RequestListener>()
    let spy: Spy
    let ran: Ran | undefined

    beforeAll(async () => {
      spy = await Spy.of({ ...common, ...ofPattern })
      for (const app of applications) {
        started.set(app, await app.start(spy, (what) => (ran = what)))
      }
    })

    test(
      'avoid no limit of the route that serves them, and receive no exemption of another one',
      { timeout: runs(600_000) },
      async () => {
        const randomUrl = randomUrls(seed)
        const watchKey = createKeyWatch()
        const ids = Object.keys(patterns)
        const wrong: string[] = []
        const served = new Set<string>()
        for (let i = 0; i < count && wrong.length < 20; i++) {
          const target = randomUrl()
          const pattern = ids[i % ids.length]
          spy.documents = [
            ...Object.keys(common),
            ...formsOfPattern.map((form) => `${form} ${pattern}`),
          ]
          const here = new Set<string>()
          const exemptions = new Set<string>()
          for (const [app, listener] of started) {
            ran = undefined
            spy.judged = undefined
            // HTTP/1 refuses these characters.
            await exchange(listener, { target, version: /[^!-~]/.test(target) ? 2 : 1 })
            const what = ranOf()
            if (what === undefined) continue
            served.add(`${app.name}: ${what.id}`)
            const judged = spy.judged
            const mistakes =
              judged === undefined
                ? ['is not judged']
                : [...mistakesOf(what, judged, pattern, app), ...watchKey(app, what, judged)]
            for (const mistake of mistakes) {
              wrong.push(`${app.name}: ${JSON.stringify(target)} runs ${what.id} and ${mistake}`)
            }
            if (app.rewrites || judged === undefined) continue
            here.add(what.id)
            for (const form of exemptionsOf(judged, pattern)) exemptions.add(form)
          }
          for (const mistake of wrongExemptions([...here], [...exemptions], pattern)) {
            wrong.push(`${JSON.stringify(target)} runs ${[...here].join()} and ${mistake}`)
          }
        }
        expect(wrong).toEqual([])
        // Otherwise the URLs do not test a route.
        for (const { name } of applications) {
          const missing = Object.keys(routes).filter((id) => !served.has(`${name}: ${id}`))
          expect([name, missing]).toEqual([name, []])
        }
      },
    )

    function ranOf(): Ran | undefined {
      return ran
    }
  })
}
