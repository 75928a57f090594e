// These run in the page.

export function pathsOf(links) {
  return links.map(({ pathname }) => pathname)
}

/** The columns of the tables that scroll sideways, except for tables of numbers. */
export function cutTables(tables) {
  return tables
    .filter((table) => table.scrollWidth > table.clientWidth)
    .filter((table) => table.querySelector('[style*=right]') === null)
    .map(({ rows: [head] }) => head.textContent)
}

export function groundOf(element) {
  return getComputedStyle(element).backgroundColor
}
