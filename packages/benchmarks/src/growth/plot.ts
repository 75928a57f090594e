/** Lines over a common x axis. */
export interface Plot {
  readonly title: string
  readonly x: Axis
  readonly y: string
  readonly lines: readonly Line[]
}

interface Axis {
  readonly label: string
  readonly ticks: readonly number[]
}

interface Line {
  readonly name: string
  /** One value for each tick of x, or undefined if there is no measurement. */
  readonly values: readonly (number | undefined)[]
}

const width = 720
const height = 360
const left = 64
const right = 200
const top = 40
const bottom = 52

// Each line also has its own mark, so that it can be identified without colour.
const colours = ['#888888', '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00']

/** Draws the lines as SVG. The ticks of x have equal distances, and y begins at 0, so that a line only looks flat if it is flat. */
export function svgOf({ title, x, y, lines }: Plot): string {
  const most = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const step = stepFor(most)
  const steps = Math.max(1, Math.ceil(most / step))
  const across = (i: number) => left + (i * (width - left - right)) / (x.ticks.length - 1)
  const up = (value: number) => height - bottom - (value / (step * steps)) * (height - top - bottom)

  const grid = Array.from({ length: steps + 1 }, (_, i) => {
    const at = round(up(i * step))
    return `<path class="grid" d="M${left} ${at}H${width - right}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${short(i * step)}</text>`
  })
  const ticks = x.ticks.map(
    (tick, i) =>
      `<text x="${round(across(i))}" y="${height - bottom + 18}" text-anchor="middle">${short(tick)}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}.grid{stroke:#8884;fill:none}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>`,
    `<text class="title" x="${left}" y="20">${escaped(title)}</text>`,
    ...grid,
    ...ticks,
    `<text x="${(left + width - right) / 2}" y="${height - 12}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text transform="translate(16 ${(height - bottom + top) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
    ...lines.map((line, i) => drawn(line, i, across, up)),
    '</svg>',
    '',
  ].join('\n')
}

function drawn(
  { name, values }: Line,
  index: number,
  across: (i: number) => number,
  up: (value: number) => number,
): string {
  const colour = colours[index % colours.length]
  const points = values.flatMap((value, i) =>
    value === undefined ? [] : [`${round(across(i))},${round(up(value))}`],
  )
  const marks = points.map((point) => {
    const [x, y] = point.split(',')
    return `<circle cx="${x}" cy="${y}" r="${3 + (index % 3)}" fill="${index % 2 === 0 ? colour : 'none'}" stroke="${colour}"/>`
  })
  const legend = top + 8 + index * 20
  const at = width - right + 16
  return [
    `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...marks,
    `<path d="M${at} ${legend}h20" stroke="${colour}" stroke-width="3"/><text x="${at + 26}" y="${legend + 4}">${escaped(name)}</text>`,
  ].join('')
}

/** 1, 2 or 5 times a power of ten, so that there are about four to ten steps. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most || 1))
  const lead = most / power
  if (lead <= 2) return power / 5
  return lead <= 5 ? power / 2 : power
}

function short(value: number): string {
  if (value >= 1000) return value.toExponential(0).replace('e+', 'e')
  return `${Math.round(value * 100) / 100}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
