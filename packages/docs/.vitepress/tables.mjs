/**
 * A plugin of markdown-it: each cell of a wide table knows the heading of its column, so that the style sheet can show the rows as lists on a phone.
 * A table with a column of numbers stays a table, because numbers are compared by column.
 */
export function tablesAsLists(md) {
  md.core.ruler.push('tables-as-lists', ({ tokens }) => {
    for (const table of tablesIn(tokens)) {
      const headings = cellsOf(table, 'th_open').map(({ text }) => text)
      const cells = cellsOf(table, 'td_open')
      const isWide = headings.length > 2 || cells.some(({ hasImage }) => hasImage)
      if (!isWide || cells.some(({ isNumber }) => isNumber)) continue
      cells.forEach(({ token }, i) => token.attrSet('data-heading', headings[i % headings.length]))
    }
  })
}

function tablesIn(tokens) {
  const indexesOf = (type) => tokens.flatMap((token, i) => (token.type === type ? [i] : []))
  const ends = indexesOf('table_close')
  return indexesOf('table_open').map((start, i) => tokens.slice(start, ends[i]))
}

function cellsOf(table, type) {
  return table.flatMap((token, i) => {
    if (token.type !== type) return []
    const { children } = table[i + 1]
    return {
      token,
      text: children.map(({ content }) => content).join(''),
      hasImage: children.some((child) => child.type === 'image'),
      isNumber: token.attrGet('style') === 'text-align:right',
    }
  })
}
