import { draw } from './chart.js'
import { chips, copyButtons, options, sliders } from './controls.js'
import { patterns } from './patterns.js'
import { algorithms, codeOf, hasGrants, ranges } from './policies.js'
import { play } from './run.js'

const byId = (id) => document.getElementById(id)

const usual = Object.entries(ranges).map(([number, range]) => [number, range.usual])
const state = {
  algorithm: 'slidingWindow',
  other: 'fixedWindow',
  pattern: 'border',
  numbers: Object.fromEntries(usual),
}

// A page without the sections of the server only plays the traffic.
const live = byId('live') === null ? undefined : await openLive()

chips(byId('algorithms'), 'algorithm', algorithms, state.algorithm, (algorithm) => {
  if (algorithm === state.other) state.other = state.algorithm
  state.algorithm = algorithm
  showRule()
  begin()
})
chips(byId('patterns'), 'pattern', patterns, state.pattern, (pattern) => {
  state.pattern = pattern
  showPictures()
})
byId('other-name').addEventListener('change', ({ target }) => {
  state.other = target.value
  showPictures()
})
new ResizeObserver(showPictures).observe(byId('chosen').parentElement)
copyButtons()
showRule()
begin()

async function openLive() {
  const { createLive } = await import('./live.js')
  byId('send').addEventListener('click', () => void live.send())
  byId('grant').addEventListener('click', () => void live.grant())
  byId('replay').addEventListener('click', () => void replay())
  return createLive(() => ({
    algorithm: state.algorithm,
    numbers: state.numbers,
    levelName: algorithms[state.algorithm].level,
  }))
}

function showRule() {
  const { idea } = algorithms[state.algorithm]
  byId('idea').textContent = idea
  sliders(byId('numbers'), state.algorithm, state.numbers, (number, value) => {
    state.numbers[number] = value
    showPolicy()
  })
  const others = Object.entries(algorithms).filter(([name]) => name !== state.algorithm)
  options(byId('other-name'), Object.fromEntries(others), state.other)
  byId('chosen-name').textContent = algorithms[state.algorithm].name
  byId('grant')?.toggleAttribute('hidden', !hasGrants(state.algorithm))
  showPolicy()
}

function showPolicy() {
  byId('code').textContent = codeOf(state.algorithm, state.numbers)
  showPictures()
  live?.show()
}

function begin() {
  live?.begin().catch(() => (byId('said').textContent = 'The server cannot be reached.'))
}

function showPictures() {
  const found = [showPicture('chosen', state.algorithm), showPicture('other', state.other)]
  byId('words').textContent = patterns[state.pattern].words
  byId('found').textContent = found.join(' ')
}

/** Draws the decisions of an algorithm about the traffic, and describes the largest number of allowed requests in a sentence. */
function showPicture(id, algorithm) {
  const { numbers } = state
  const { window, limit } = numbers
  const { name, level } = algorithms[algorithm]
  const played = play(algorithm, numbers, moments(), 3 * window * 1000)
  const allowed = played.requests.filter((request) => request.allowed).length
  const score = `${allowed} of ${played.requests.length} allowed`
  // Concurrency does not count in windows.
  const worst = algorithm === 'concurrency' ? undefined : played.worst
  draw(byId(id), { ...played, worst, limit, from: 0, levelName: level })
  const most = worst === undefined ? '' : `up to\u00a0${worst.count} within\u00a0${window}\u00a0s.`
  byId(`${id}-score`).textContent = score
  byId(id).setAttribute('aria-label', `${name}: ${score}. ${most}`)
  return worst === undefined ? '' : `${name}: ${most}`
}

async function replay() {
  byId('replay').disabled = true
  await live.replay(moments())
  byId('replay').disabled = false
}

function moments() {
  return patterns[state.pattern].at(state.numbers)
}
