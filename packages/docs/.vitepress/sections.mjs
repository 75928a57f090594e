import { readFileSync } from 'node:fs'

/** The sections of the index of all pages, in its order, each with the pages that it links: a page that the index links is in the navigation. */
export function sectionsOf(index) {
  const [, ...sections] = readFileSync(index, 'utf8').split(/^## /m)
  return sections.map((section) => {
    const [text, ...lines] = section.split('\n')
    const items = lines.flatMap(linksOf)
    const [first] = items
    if (first === undefined) throw new Error(`${index} links no page below "${text}"`)
    return { text, folder: first.link.split('/')[1], items }
  })
}

/** The pages that a line links. In a table they are in the first column; the second one may mention other pages. */
function linksOf(line) {
  const part = line.startsWith('|') ? line.split('|')[1] : line
  return Array.from(part.matchAll(/\[([^\]]+)\]\(([\w/-]+)\.md\)/g), ([, text, path]) => ({
    text: text.replaceAll('`', ''),
    link: `/${path}`,
  }))
}
