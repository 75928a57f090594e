import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { docs, repository, root } from './paths.mjs'

/** A plugin of markdown-it: links to files outside this package become links to the repository on GitHub, and links to the index find its page. */
export function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'link_open') continue
        token.attrSet('href', addressOf(token.attrGet('href'), env.path))
      }
    }
  })
}

function addressOf(href, page) {
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(href)
  if (path === '' || /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(path)) return href
  const file = resolve(dirname(page), decodeURI(path))
  if (file === docs || file.startsWith(docs + sep)) {
    return href.replace(/(^|\/)README\.md(?=$|[?#])/, '$1index.md')
  }
  if (!existsSync(file)) throw new Error(`${page} links ${href}, which does not exist`)
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob'
  return `${repository}/${kind}/main/${relative(root, file).split(sep).join('/')}${rest}`
}
