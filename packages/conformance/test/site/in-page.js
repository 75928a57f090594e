// These run in the page.

export function pathsOf(links) {
  return links.map(({ pathname }) => pathname)
}

export function groundOf(element) {
  return getComputedStyle(element).backgroundColor
}
