import { html, svg } from './vendor/lit-html.js'

/** @param {unknown} shapes @param {string} [name] */
function icon(shapes, name = '') {
  return html`<svg class="icon ${name}" viewBox="0 0 16 16" aria-hidden="true">${shapes}</svg>`
}

export const mark = icon(svg`<path d="M3 2v12M13 2v12M3 6h10M6 10.5h4" />`, 'mark')
export const pause = icon(svg`<path d="M5.5 3.5v9M10.5 3.5v9" />`)
export const play = icon(svg`<path d="M5 3.2v9.6L12.5 8z" />`)
export const close = icon(svg`<path d="M4 4l8 8M12 4l-8 8" />`)
export const lens = icon(svg`<path d="M10.4 10.4 13.5 13.5" /><circle cx="7" cy="7" r="4.5" />`)
export const warning = icon(svg`<path d="M8 2.2 14.6 13.6H1.4zM8 6.6v3M8 11.6v.1" />`)
export const check = icon(svg`<circle cx="8" cy="8" r="6" /><path d="m5.4 8.2 1.8 1.8 3.4-3.8" />`)
