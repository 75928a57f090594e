// These run in the page, so each of them stands for itself.

/** What has the focus, and how that is shown. */
export function focused() {
  const element = document.activeElement
  const isRadio = element.type === 'radio'
  const shown = isRadio ? element.nextElementSibling : element
  const labelled = element.getAttribute('aria-labelledby')
  const label = element.ariaLabel ?? (labelled && document.getElementById(labelled).textContent)
  const name = isRadio ? element.name : element.id || label
  return { name, outline: getComputedStyle(shown).outlineStyle }
}

/** What sticks out to the right. */
export function tooWide() {
  return Array.from(document.querySelectorAll('body *'))
    .filter((element) => element.closest('svg, .hidden') === null)
    .filter((element) => element.getBoundingClientRect().right > innerWidth)
    .map((element) => `${element.tagName} ${element.textContent}`)
}

/** The texts whose contrast is below that of WCAG 2.2, 1.4.3: 4.5 to 1. */
export function faintTexts() {
  const light = (color) => {
    const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element) => {
    const { backgroundColor } = getComputedStyle(element)
    const { parentElement } = element
    return backgroundColor === 'rgba(0, 0, 0, 0)' && parentElement !== null
      ? ground(parentElement)
      : backgroundColor
  }
  const contrast = (element) => {
    const { color, fill } = getComputedStyle(element)
    const lights = [element.closest('svg') === null ? color : fill, ground(element)].map(light)
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05)
  }
  return Array.from(document.querySelectorAll('body *'))
    .filter((element) =>
      Array.from(element.childNodes).some(
        (node) => node.nodeType === 3 && node.nodeValue.trim() !== '',
      ),
    )
    .filter((element) => !['SCRIPT', 'NOSCRIPT', 'OPTION'].includes(element.tagName))
    .filter((element) => contrast(element) < 4.5)
    .map((element) => `${element.tagName} ${element.textContent}: ${contrast(element)}`)
}

/** How often the live picture is drawn in a while. */
export async function redrawsWithin(ms) {
  const live = document.querySelector('#live')
  let redraws = 0
  const observer = new MutationObserver(() => (redraws += 1))
  observer.observe(live, { childList: true })
  await new Promise((done) => setTimeout(done, ms))
  observer.disconnect()
  return redraws
}
