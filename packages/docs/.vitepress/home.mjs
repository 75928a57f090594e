import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

/** The index of all pages below an introduction, which is the first paragraph and the first list of the repository's README. */
export function homePage(page) {
  const [readme] = readFileSync(join(root, 'README.md'), 'utf8').split(/^## /m)
  const [, introduction] = /^# .*\n\n(.*(?:\n.+)*)/.exec(readme) ?? []
  const features = Array.from(
    readme.matchAll(/^- \*\*(?<title>[^*]+)\.\*\* (?<details>.*(?:\n {2}.*)*)/gm),
    ({ groups: { title, details } }) => ({ title, details: inlineHtml(details) }),
  )
  if (introduction === undefined || features.length < 3) {
    throw new Error('README.md does not begin with a paragraph and a list of features')
  }
  page.title = 'Sluice'
  page.titleTemplate = 'Rate limiting for Node.js servers'
  page.frontmatter = {
    layout: 'home',
    hero: {
      name: 'Sluice',
      text: 'Rate limiting for Node.js servers',
      tagline: inlineHtml(withoutDefinition(introduction)),
      actions: [
        { text: 'Get started', link: '/learn/getting-started' },
        { text: 'Choose an algorithm', link: '/learn/choosing-an-algorithm', theme: 'alt' },
        { text: 'Playground', link: '/learn/playground', theme: 'alt' },
      ],
    },
    features,
  }
}

/** The first sentence says what Sluice is, as the title does. */
function withoutDefinition(paragraph) {
  return paragraph.replace(/^.*?\.\s+(?=[A-Z])/s, '')
}

/** A paragraph of Markdown without its links: a whole card or line is easier to read without them. */
function inlineHtml(markdown) {
  return markdown
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
}
