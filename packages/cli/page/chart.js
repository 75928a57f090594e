'use strict'

// The formats of the time axis, each from a distance between two ticks in seconds. The second line is drawn where it changes.
const day = 86_400
const dates = [
  [365 * day, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * day, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [day, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{YYYY}-{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{YYYY}-{MM}-{DD}', null, null, null, 1],
]

/** Draws the requests and the share of denials over time. Times are UTC, as in ISO 8601. */
window.drawChart = function drawChart(element, { intervalMs, requests, variants }) {
  const colors = ['#2563eb', '#c2410c', '#15803d', '#7c3aed', '#b45309', '#0e7490', '#be185d']
  const byTime = (points) => new Map(points.map((point) => [Date.parse(point.at), point]))
  const asked = byTime(requests)
  const [first = 0] = asked.keys()
  const last = Math.max(first, ...asked.keys())
  const length = asked.size === 0 ? 0 : (last - first) / intervalMs + 1
  const times = Array.from({ length }, (_, i) => first + i * intervalMs)
  const lines = variants.map(({ denials }) => {
    const points = byTime(denials)
    return times.map((time) => {
      if (!asked.has(time)) return null
      const point = points.get(time)
      return point === undefined ? 0 : (100 * point.denied) / point.asked
    })
  })
  const options = {
    width: Math.min(1050, Math.max(300, element.clientWidth)),
    height: 320,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      share: { range: (_, __, greatest) => [0, Math.max(1, Math.min(100, greatest * 1.1))] },
    },
    axes: [
      { values: dates },
      { label: 'requests' },
      { scale: 'share', side: 1, label: 'denied, %', grid: { show: false } },
    ],
    series: [
      { label: 'time (UTC)', value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' },
      { label: 'requests', stroke: '#94a3b8', fill: '#e2e8f0' },
      ...variants.map(({ name }, i) => ({
        label: name,
        scale: 'share',
        stroke: colors[i % colors.length],
        width: 1.5,
        // An interval between intervals without requests has no line, so its point is drawn.
        points: { show: true, size: 4, fill: colors[i % colors.length] },
        value: (_, value) => (value === null ? '' : `${value.toFixed(2)} %`),
      })),
    ],
  }
  const data = [
    times.map((time) => time / 1000),
    times.map((time) => asked.get(time)?.asked ?? null),
    ...lines,
  ]
  return new uPlot(options, data, element)
}
