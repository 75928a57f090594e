import { rate } from './numbers.js'
import { html, nothing, render, svg } from './vendor/lit-html.js'

/** @import { Line } from './series.js' */

/** @typedef {{ times: readonly number[], lines: readonly Line[], isStacked: boolean }} Chart */
/** @typedef {{ x: (step: number) => number, y: (value: number) => number }} Scales */

const height = 244
const edges = { left: 44, right: 8, top: 10, bottom: 26 }
const floor = height - edges.bottom

/**
 * The chart of the last hour, and its legend with the values at the pointer. It draws itself into an element that the templates of the page leave empty, so that
 * a pointer that moves does not draw the whole page.
 * @param {HTMLElement} element
 */
export function createChart(element) {
  /** @type {Chart} */
  let chart = { times: [], lines: [], isStacked: false }
  /** @type {number | undefined} */
  let pointed

  new ResizeObserver(redraw).observe(element)

  function redraw() {
    const width = Math.max(200, element.clientWidth)
    const steps = Math.max(1, chart.times.length - 1)
    const inner = width - edges.left - edges.right
    const stacked = chart.isStacked ? stackOf(chart.lines) : chart.lines.map(({ values }) => values)
    const greatest = Math.max(0, ...stacked.flat())
    const ticks = ticksUpTo(greatest)
    const top = Math.max(greatest * 1.04, ticks.at(-1) ?? 1)
    /** @type {Scales} */
    const scales = {
      x: (step) => edges.left + (step / steps) * inner,
      y: (value) => floor - (value / top) * (floor - edges.top),
    }
    const point = ({ offsetX = 0 }) => {
      const step = Math.round(((offsetX - edges.left) / inner) * steps)
      pointed = step < 0 || step > steps ? undefined : step
      redraw()
    }
    const leave = () => {
      pointed = undefined
      redraw()
    }
    render(
      html`${legend(chart, pointed)}
        <svg
          class="plot"
          width=${width}
          height=${height}
          role="img"
          aria-label=${summaryOf(chart.lines)}
          @pointermove=${point}
          @pointerleave=${leave}
        >
          ${grid(ticks, scales, width)} ${times(chart.times, scales, width)}
          ${chart.isStacked ? areas(chart.lines, stacked, scales) : curves(chart.lines, scales)}
          ${pointed === undefined ? nothing : cursor(pointed, chart.lines, stacked, scales)}
        </svg>`,
      element,
    )
  }

  return {
    /** @param {Chart} next */
    draw(next) {
      chart = next
      redraw()
    },
  }
}

/** @param {Chart} chart @param {number | undefined} pointed */
function legend({ times, lines, isStacked }, pointed) {
  const step = pointed ?? times.length - 1
  const time = times[step]
  return html`<ul class="legend">
    ${lines.map(
      ({ label, values, color }) =>
        html`<li>
          <span class="swatch ${color}"></span><bdi class="legend-name">${label}</bdi>
          <b>${rate(values[step] ?? 0)}</b>
        </li>`,
    )}
    <li class="legend-time">
      ${isStacked ? 'requests' : 'denials'} a second,
      ${pointed === undefined || time === undefined ? 'now' : `at ${timeOf(time)}`}
    </li>
  </ul>`
}

/** @param {readonly Line[]} lines */
function summaryOf(lines) {
  const last = lines.map(({ label, values }) => `${label} ${rate(values.at(-1) ?? 0)}`)
  return `The last hour. A second, now: ${last.join(', ')}. The table below has all figures.`
}

/** Each line plus those below it, unless it is no part of the sum. @param {readonly Line[]} lines */
function stackOf(lines) {
  /** @type {readonly number[] | undefined} */
  let below
  return lines.map(({ values, isApart = false }) => {
    if (isApart) return values
    const under = below
    below = values.map((value, i) => value + (under?.[i] ?? 0))
    return below
  })
}

/** The areas from the top down, so that each covers those above it. A line that is no part of the sum has none.
 * @param {readonly Line[]} lines
 * @param {readonly (readonly number[])[]} stacked
 * @param {Scales} scales
 */
function areas(lines, stacked, scales) {
  const parts = lines
    .map(({ color, isApart = false }, i) => {
      const path = pathOf(stacked[i] ?? [], scales)
      const last = scales.x((stacked[i] ?? []).length - 1)
      return isApart
        ? nothing
        : svg`<path class="area ${color}" d="${path}L${last} ${floor}L${edges.left} ${floor}z" />
            <path class="curve ${color}" d=${path} />`
    })
    .toReversed()
  const apart = lines.filter(({ isApart = false }) => isApart)
  return [...parts, ...curves(apart, scales)]
}

/** @param {readonly Line[]} lines @param {Scales} scales */
function curves(lines, scales) {
  return lines.map(
    ({ values, color }) => svg`<path class="curve ${color}" d=${pathOf(values, scales)} />`,
  )
}

/** @param {readonly number[]} values @param {Scales} scales */
function pathOf(values, { x, y }) {
  return `M${values.map((value, i) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`
}

/** @param {readonly number[]} ticks @param {Scales} scales @param {number} width */
function grid(ticks, { y }, width) {
  return ticks.map((tick) => {
    const at = Math.round(y(tick)) + 0.5
    return svg`<path class="grid" d="M${edges.left} ${at}H${width - edges.right}" />
      <text class="tick" x=${edges.left - 8} y=${at + 4} text-anchor="end">${rate(tick)}</text>`
  })
}

/** @param {readonly number[]} all @param {Scales} scales @param {number} width */
function times(all, { x }, width) {
  const shown = ((all.at(-1) ?? 0) - (all[0] ?? 0)) / 60_000
  const wanted = (shown * 90) / width
  const minutes = [1, 2, 5, 10, 15].find((each) => each >= wanted) ?? 15
  return all.map((time, step) => {
    const isNearEdge = x(step) < edges.left + 20 || x(step) > width - 20
    if (time % (minutes * 60_000) >= 10_000 || isNearEdge) return nothing
    return svg`<text class="tick" x=${x(step)} y=${height - 6} text-anchor="middle">${timeOf(time)}</text>`
  })
}

/**
 * @param {number} step
 * @param {readonly Line[]} lines
 * @param {readonly (readonly number[])[]} stacked
 * @param {Scales} scales
 */
function cursor(step, lines, stacked, { x, y }) {
  const at = x(step).toFixed(1)
  return svg`<path class="cursor" d="M${at} ${edges.top}V${floor}" />
    ${lines.map(
      ({ color }, i) =>
        svg`<circle class="spot ${color}" cx=${at} cy=${y(stacked[i]?.[step] ?? 0)} r="3.5" />`,
    )}`
}

/** Round numbers from 0, at most six, up to about the greatest. @param {number} greatest */
function ticksUpTo(greatest) {
  if (greatest === 0) return [0, 1]
  const rough = greatest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
  return Array.from({ length: Math.floor((greatest * 1.1) / step) + 1 }, (_, i) => i * step)
}

/** @param {number} time */
function timeOf(time) {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
