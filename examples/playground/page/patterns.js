/** Traffic to compare algorithms. `at` returns the moments of its requests, in milliseconds, within three windows. */
export const patterns = {
  border: {
    name: 'Burst at the boundary',
    words: 'A full quota just before a window ends, and a full quota just after.',
    at: ({ limit, window }) => {
      const windowMs = window * 1000
      const apart = windowMs / 120
      return [
        0,
        ...evenly(windowMs - limit * apart, limit - 1, apart),
        ...evenly(windowMs + 4 * apart, limit, apart),
        ...evenly(2.25 * windowMs, 3, windowMs / 4),
      ]
    },
  },
  steady: {
    name: 'Steady',
    words: 'A little less than the limit, evenly spread.',
    at: ({ limit, window }) => {
      const every = (window * 1000) / (0.9 * limit)
      return evenly(0, Math.ceil((3 * window * 1000) / every), every)
    },
  },
  overload: {
    name: 'Overload',
    words: 'Three times the limit, without a pause.',
    at: ({ limit, window }) => {
      const every = (window * 1000) / (3 * limit)
      return evenly(0, 9 * limit, every)
    },
  },
}

function evenly(from, count, every) {
  return Array.from({ length: count }, (_, i) => Math.round(from + i * every))
}
