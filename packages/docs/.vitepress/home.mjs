import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMarkdownRenderer } from 'vitepress'
import { docs, root } from './paths.mjs'

/** The index of all pages below an introduction: the first paragraph of the repository's README with its first programs, and its list of features. */
export async function homePage(page) {
  const [top, ...sections] = readFileSync(join(root, 'README.md'), 'utf8').split(/^## /m)
  const [, introduction] = /^# .*\n\n(.*(?:\n.+)*)/.exec(top) ?? []
  const list = sections.find((section) => section.startsWith('Features\n')) ?? ''
  const features = Array.from(
    list.matchAll(/^- \*\*(?<title>[^*]+)\.\*\* (?<details>.*(?:\n {2}.*)*)/gm),
    ({ groups: { title, details } }) => ({ title, details: inlineHtml(details) }),
  )
  const programs = top.match(/^```(?:sh|js)\n[^]*?^```$/gm) ?? []
  if (introduction === undefined || features.length < 3 || programs.length !== 2) {
    throw new Error(
      'README.md has no first paragraph, no command and program, or no list of features',
    )
  }
  const markdown = await createMarkdownRenderer(docs)
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
    programs: markdown.render(programs.join('\n\n')),
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
