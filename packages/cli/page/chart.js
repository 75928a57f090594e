'use strict'

/** Draws the requests and the share of denials over time. */
window.drawChart = function drawChart(element, variants) {
  const colors = ['#2563eb', '#c2410c', '#15803d', '#7c3aed', '#b45309', '#0e7490', '#be185d']
  const times = [
    ...new Set(variants.flatMap(({ series }) => series.map(({ at }) => Date.parse(at)))),
  ].sort((a, b) => a - b)
  const asked = new Map((variants[0]?.series ?? []).map((point) => [Date.parse(point.at), point]))
  const lines = variants.map(({ series }) => {
    const points = new Map(series.map((point) => [Date.parse(point.at), point]))
    return times.map((time) => {
      const point = points.get(time)
      return point === undefined || point.asked === 0 ? null : (100 * point.denied) / point.asked
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
      {},
      { label: 'requests' },
      { scale: 'share', side: 1, label: 'denied, %', grid: { show: false } },
    ],
    series: [
      { label: 'time (UTC)' },
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
