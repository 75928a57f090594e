const width = 320
const height = 90
const margin = 9
const dot = 2.3
const row = 6
/** The base lines of the requests, of the starts of delayed requests, and of the level. */
const grounds = { requests: 32, starts: 44, level: 74 }
const levelHeight = 22
// Readable on a light and on a dark page.
const accent = '#0f877c'
const grey = '#747d87'

/** Draws requests as dots in time, denials as crosses, the starts of delayed requests, and the level below. */
export function drawn(name, { requests, levels, length, hour }) {
  const x = (t) => round(margin + (t / length) * (width - 2 * margin))
  const allowed = requests.filter((request) => request.allowed).length
  const title = `${name}: ${allowed} of ${requests.length} requests allowed`
  const placed = stacked(requests, x)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>text{font:9px system-ui,sans-serif;fill:${grey}}.l{fill:none;stroke:${accent}}.g{fill:none;stroke:${grey}}</style>
<clipPath id="c"><path d="M0 0H${width - margin + dot}V${height}H0z"/></clipPath>
${hours(x, length, hour)}
${level(levels, x)}
${placed.map((request) => mark(request, x)).join('\n')}
${placed.map((request) => held(request, x)).join('')}</svg>
`
}

function hours(x, length, hour) {
  const lines = []
  for (let t = 0; t <= length; t += hour) {
    lines.push(`<path class="g" opacity=".45" d="M${x(t)} 4V${grounds.level}"/>`)
    lines.push(`<text x="${x(t)}" y="86" text-anchor="middle">${t / hour} h</text>`)
  }
  return lines.join('\n')
}

function level(levels, x) {
  if (levels.length === 0) return ''
  const y = (share) => round(grounds.level - Math.min(share, 1) * levelHeight)
  const points = corners(levels.map(({ t, share }) => [x(t), y(share)]))
  const line = `M${points.map((point) => point.join(' ')).join('L')}`
  const [left, right] = [points[0][0], points.at(-1)[0]]
  return `<path fill="${accent}" opacity=".18" d="${line}V${grounds.level}H${left}Z"/>
<path class="l" d="${line}"/>
<path class="g" stroke-dasharray="2 3" d="M${left} ${y(1)}H${right}"/>`
}

/** Removes the points within a horizontal line. */
function corners(points) {
  return points.filter(([, y], i) => y !== points[i - 1]?.[1] || y !== points[i + 1]?.[1])
}

/** Places each dot in the lowest row in which it touches no earlier dot. */
function stacked(requests, x) {
  const ends = []
  return requests.map((request) => {
    const left = x(request.t)
    const free = ends.findIndex((end) => end <= left)
    const at = free === -1 ? ends.length : free
    ends[at] = left + 2 * dot + 0.8
    return { ...request, at }
  })
}

function mark({ t, allowed, at }, x) {
  const [cx, cy] = [x(t), grounds.requests - at * row]
  if (allowed) return `<circle fill="${accent}" cx="${cx}" cy="${cy}" r="${dot}"/>`
  return `<path class="g" stroke-width="1.2" d="M${round(cx - 2)} ${cy - 2}l4 4m0-4l-4 4"/>`
}

function held({ t, delayMs, at }, x) {
  if (delayMs === 0) return ''
  const [from, to] = [x(t), x(t + delayMs)]
  return `<g clip-path="url(#c)"><path class="l" stroke-width=".7" d="M${from} ${grounds.requests - at * row}L${to} ${grounds.starts}"/><circle fill="${accent}" cx="${to}" cy="${grounds.starts}" r="1.4"/></g>
`
}

function round(value) {
  return Math.round(value * 10) / 10
}
