// The site of the documentation: the pages of this package, unchanged, with the order and the sections of README.md.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { homePage } from './home.mjs'
import { repositoryLinks } from './links.mjs'
import { docs, repository, root } from './paths.mjs'
import { writePlayground } from './playground.mjs'
import { sectionsOf } from './sections.mjs'
import { tablesAsLists } from './tables.mjs'

const sections = sectionsOf(join(docs, 'README.md'))
const publicDir = join(docs, 'public')
const playground = join(root, 'examples/playground/page')

rmSync(publicDir, { recursive: true, force: true })
await writePlayground(playground, join(publicDir, 'playground'))
cpSync(join(playground, 'icon.svg'), join(publicDir, 'icon.svg'))

const base = process.env.DOCS_BASE ?? '/'

export default defineConfig({
  title: 'Sluice',
  description: 'Rate limiting for Node.js servers',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  rewrites: { 'README.md': 'index.md' },
  // An address on the reader's own machine, such as http://localhost:3000, is not a dead link.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // A heading has the same anchor as on GitHub.
    anchor: { slugify: slug },
    // In prose, {id} is a part of a path and not an attribute.
    attrs: { disable: true },
    config: (md) => {
      md.use(repositoryLinks)
      md.use(tablesAsLists)
      // An indented block looks and scrolls as a fenced one.
      md.renderer.rules.code_block = md.renderer.rules.fence
    },
  },
  transformPageData(page) {
    if (page.relativePath === 'index.md') return homePage(page)
    if (page.relativePath === 'learn/playground.md') page.frontmatter.layout = 'playground'
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: sections
      .filter(({ items }) => items.length > 2)
      .map(({ text, folder, items: [{ link }] }) => ({ text, link, activeMatch: `^/${folder}/` })),
    sidebar: sections.map(({ text, items }) => ({ text, items, collapsed: false })),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: {
      pattern: `${repository}/edit/main/packages/docs/:path`,
      text: 'Edit this page on GitHub',
    },
    externalLinkIcon: true,
    footer: { message: 'Released under the MIT License.' },
  },
})
