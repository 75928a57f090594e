import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The links of a page that lead to no file or to no heading of this repository. Those that lead out of it are not followed. */
export function deadLinks(file, page) {
  return linksOf(page)
    .filter((target) => !leadsSomewhere(file, target))
    .map((target) => `this link leads nowhere: ${target}`)
}

/** Where a page's links lead within this repository. */
export function linksOf(page) {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)]
    .map(({ groups }) => groups.target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

function leadsSomewhere(file, target) {
  const [path, heading] = target.split('#')
  const place = path === '' ? file : resolve(dirname(file), path)
  if (!existsSync(place)) return false
  return heading === undefined || headingsOf(readFileSync(place, 'utf8')).includes(heading)
}

/** As GitHub names them. */
function headingsOf(page) {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}
