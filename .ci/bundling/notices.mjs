import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licenses of the bundled packages require that their text is passed on. */
export function writeNotices(target, inputs) {
  const notices = inputs.flatMap((input) => {
    const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\/.*$/.exec(input) ?? []
    return folder === undefined ? [] : [[name, folder]]
  })
  if (notices.length === 0) return
  const texts = [...new Map(notices)].map(([name, folder]) => `${name}\n\n${licenseOf(folder)}`)
  writeFileSync(join(target, 'LICENSES.txt'), texts.join(`\n\n${'-'.repeat(80)}\n\n`))
}

function licenseOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${folder} contains no license`)
  return readFileSync(join(folder, file), 'utf8').trim()
}
