const dot = 3.6
const row = 9.5
const margin = { left: 4, right: 4 }
const bracketHeight = 30
const heldHeight = 20
const levelHeight = 58
const axisHeight = 20

/**
 * Draws requests as dots in time, stacked where they come together, and the level below them. Times are in milliseconds.
 *
 * @param svg the element to draw in
 * @param view { from, length, windowMs, origin?, requests, levels, full?, worst?, now?, rows? }: the interval that is shown, its requests and
 * levels, the full level if there are no levels yet, and the least number of rows of dots
 */
export function draw(svg, view) {
  const { from, length, now, worst, rows: fewest = 4 } = view
  const width = svg.clientWidth || 600
  const x = (t) => margin.left + ((t - from) / length) * (width - margin.left - margin.right)
  // Requests outside the interval are stacked too, so that dots do not jump when a neighbour leaves.
  const placed = stacked(view.requests, x).filter(({ t }) => t >= from && t <= from + length)
  const rows = Math.max(fewest, ...placed.map(({ at }) => at + 1))
  const base = rows * row + 6
  const isHeld = placed.some(({ delayMs }) => delayMs > 0)
  const foot = base + (isHeld ? heldHeight : 0)
  const top = foot + (worst === undefined ? 12 : bracketHeight)
  const bottom = top + levelHeight
  const height = bottom + axisHeight

  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  svg.style.height = `${height}px`
  svg.innerHTML = [
    axis(view, x, bottom, width),
    level(view, x, top, bottom, width),
    ...placed.map((request) => mark(request, x, base)),
    ...(isHeld ? placed.map((request) => start(request, x, base, foot)) : []),
    worst === undefined || worst.count === 0 ? '' : bracket(view, x, foot, width),
    now === undefined ? '' : `<path class="now" d="M${round(x(now))} 0V${bottom}"/>`,
  ].join('')
}

/** Places each dot in the lowest row in which it touches no earlier dot. */
function stacked(requests, x) {
  const ends = []
  return requests.map((request) => {
    const left = x(request.t)
    let at = ends.findIndex((end) => end <= left)
    if (at === -1) at = ends.length
    ends[at] = left + 2 * dot + 1.5
    return { ...request, at }
  })
}

function mark({ t, allowed, isGranted, at }, x, base) {
  const [cx, cy] = [round(x(t)), round(base - 6 - at * row)]
  if (allowed) {
    const name = isGranted ? 'allowed granted' : 'allowed'
    return `<circle class="${name}" cx="${cx}" cy="${cy}" r="${isGranted ? dot - 0.75 : dot}"/>`
  }
  const arm = dot * 0.8
  return `<path class="denied" d="M${cx - arm} ${cy - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}"/>`
}

/** The start of a delayed request. */
function start({ t, allowed, delayMs, at }, x, base, foot) {
  if (!allowed) return ''
  const began = round(x(t + delayMs))
  return `<path class="wait" d="M${round(x(t))} ${round(base - 2 - at * row)}L${began} ${foot - 5}"/>
    <circle class="allowed start" cx="${began}" cy="${foot - 5}" r="2"/>`
}

function axis({ from, length, windowMs, origin = 0 }, x, bottom, width) {
  const marks = []
  const first = origin + Math.ceil((from - origin) / windowMs) * windowMs
  for (let t = first; t <= from + length; t += windowMs) {
    const at = round(x(t))
    const anchor = at < 12 ? 'start' : at > width - 12 ? 'end' : 'middle'
    marks.push(`<path class="border" d="M${at} 0V${bottom + 4}"/>
      <text x="${at}" y="${bottom + 16}" text-anchor="${anchor}">${round((t - origin) / 1000)} s</text>`)
  }
  return marks.join('')
}

function level({ from, length, levels, full: first = 0, levelName = '' }, x, top, bottom, width) {
  const full = levels.at(-1)?.full ?? first
  const scale = Math.max(1, full)
  const y = (value) => round(bottom - (Math.min(value, scale * 1.1) / scale) * (levelHeight - 12))
  const seen = levels.filter(({ t }) => t >= from && t <= from + length)
  const line = seen.map((reading) => `${round(x(reading.t))} ${y(reading.level)}`).join('L')
  const edges = seen.length === 0 ? [0, 0] : [seen[0], seen.at(-1)].map(({ t }) => round(x(t)))
  const area =
    seen.length === 0
      ? ''
      : `<path class="area" d="M${edges[0]} ${bottom}L${line}L${edges[1]} ${bottom}Z"/>
    <path class="level" d="M${line}"/>`
  return `${area}<path class="full" d="M0 ${y(full)}H${width}"/><path class="ground" d="M0 ${bottom}H${width}"/>
    <text class="name" x="${width - 2}" y="${top + 8}" text-anchor="end">${levelName} ${round(full)}</text>`
}

/** Marks the interval of one window with the most allowed requests. */
function bracket({ worst, windowMs, limit }, x, base, width) {
  const [left, right] = [x(worst.from), Math.min(x(worst.from + windowMs), width - 1)].map(round)
  const y = base + 6
  const middle = Math.min(Math.max((left + right) / 2, 62), width - 62)
  const over = worst.count > limit ? ' over' : ''
  return `<path class="bracket${over}" d="M${left} ${y - 4}v4H${right}v-4"/>
    <text class="count${over}" x="${round(middle)}" y="${y + 14}" text-anchor="middle">${worst.count} within ${windowMs / 1000} s</text>`
}

function round(value) {
  return Math.round(value * 10) / 10
}
