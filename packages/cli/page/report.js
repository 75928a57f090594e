// The script of the report. It sets all text by `textContent`, because a log contains text that clients sent.
'use strict'
{
  const report = JSON.parse(document.getElementById('report').textContent)
  const page = document.querySelector('main')

  const { log, variants } = report
  const logStart = Date.parse(log.from)
  const logMs = Math.max(1, Date.parse(log.to) - logStart)
  add(page, 'h1', 'What if: ' + log.files.join(', '))
  add(page, 'p', `${count(log.lines)} lines (${log.format}), ${log.from} to ${log.to}.`).className =
    'about'

  add(page, 'h2', 'Summary')
  table(
    page,
    ['', 'requests', 'denied', 'share', 'keys', 'keys denied', 'worst 5 minutes', 'longest streak'],
    variants.map((variant) => [
      variant.name + (variant.suggested === true ? ' (suggested)' : ''),
      count(variant.asked),
      count(variant.denied),
      percent(share(variant)),
      count(variant.keys),
      count(variant.keysDenied),
      percent(variant.worst.share),
      count(variant.streak.length),
    ]),
  )

  add(page, 'h2', 'Over time')
  add(
    page,
    'p',
    'Drag over the chart to enlarge a part of it, and click twice to see all. Click a name to hide its line.',
  ).className = 'about'
  const chart = add(page, 'div')
  chart.id = 'chart'
  window.chart = window.drawChart(chart, report)

  if (report.compared !== undefined) drawComparison(report.compared)
  for (const variant of variants) drawVariant(variant)

  add(page, 'h2', 'Settings')
  const settings = variants.map(({ name, key, policies }) => ({ name, key, policies }))
  add(page, 'pre', JSON.stringify(settings, undefined, 2))

  add(page, 'h2', 'Notes')
  const notes = add(page, 'ul')
  notes.className = 'notes'
  for (const note of notesOf()) add(notes, 'li', note)

  function drawVariant(variant) {
    if (variant.rules !== undefined) {
      add(page, 'h2', `${variant.name}: rules`)
      table(
        page,
        ['rule', 'asked', 'denied', 'denied in shadow'],
        variant.rules.map((rule) => [
          rule.id,
          count(rule.asked),
          count(rule.denied),
          count(rule.shadowDenied),
        ]),
      )
    }
    if (variant.top.length > 0) {
      add(page, 'h2', `${variant.name}: keys with the most denials`)
      keysTable(variant.top)
    }
  }

  function drawComparison(compared) {
    add(page, 'h2', `${compared.variant} compared with ${compared.baseline}`)
    table(
      page,
      ['', 'requests', 'keys'],
      [
        ['newly denied', count(compared.requestsNewlyDenied), count(compared.keysNewlyDenied)],
        ['newly allowed', count(compared.requestsNewlyAllowed), count(compared.keysNewlyAllowed)],
      ],
    )
    if (compared.newlyDenied.length > 0) {
      add(page, 'h2', 'Newly denied')
      keysTable(compared.newlyDenied)
    }
    if (compared.newlyAllowed.length > 0) {
      add(page, 'h2', 'Newly allowed')
      keysTable(compared.newlyAllowed)
    }
  }

  function keysTable(keys) {
    const made = table(
      page,
      ['key', 'denied', 'of', 'over time', 'mostly at', 'user agent'],
      keys.map((key) => [
        key.key,
        (key.error > 0 ? 'at most ' : '') + count(key.denied),
        count(key.asked),
        '',
        mostlyAt(key),
        key.agent ?? '',
      ]),
    )
    const { cells: heads } = made.tHead.rows[0]
    heads[4].className = 'text'
    heads[5].className = 'text'
    keys.forEach((key, i) => {
      const cells = made.tBodies[0].rows[i].cells
      cells[3].append(sparkline(key.denials))
      cells[4].className = 'text'
      cells[5].className = 'text agent'
    })
  }

  /** If few of the denied requests had the same path, the path does not describe the key. */
  function mostlyAt({ mostlyAt, mostlyAtShare }) {
    if (mostlyAt === '') return ''
    return mostlyAtShare < 0.1 ? 'many paths' : `${mostlyAt} (${Math.floor(mostlyAtShare * 100)} %)`
  }

  /** The denials over the time of the whole log. */
  function sparkline(denials) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    svg.setAttribute('class', 'spark')
    svg.setAttribute('viewBox', '0 0 120 22')
    const greatest = Math.max(1, ...denials.map(({ denied }) => denied))
    for (const { at, denied } of denials) {
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
      const height = Math.max(1, (denied / greatest) * 22)
      const passed = Math.max(0, Date.parse(at) - logStart) / logMs
      const shape = { x: Math.min(1, passed) * 118, y: 22 - height, width: 2, height }
      for (const [name, value] of Object.entries(shape)) bar.setAttribute(name, String(value))
      svg.append(bar)
    }
    return svg
  }

  function notesOf() {
    const skipped = Object.entries(log.skipped).map(
      ([reason, lines]) => `${count(lines)} ${reason}`,
    )
    return [
      ...report.notes,
      ...(skipped.length === 0 ? [] : [`Skipped lines: ${skipped.join(', ')}.`]),
      ...(log.late === 0
        ? []
        : [`${count(log.late)} lines were late and were replayed after their own time.`]),
    ]
  }

  function table(parent, columns, rows) {
    const wide = add(parent, 'div')
    wide.className = 'wide'
    const element = add(wide, 'table')
    const head = element.createTHead().insertRow()
    for (const column of columns) add(head, 'th', column)
    const body = element.createTBody()
    for (const row of rows) {
      const line = body.insertRow()
      for (const cell of row) add(line, 'td', cell)
    }
    return element
  }

  function add(parent, name, text = '') {
    const element = document.createElement(name)
    element.textContent = text
    parent.append(element)
    return element
  }

  function share({ asked, denied }) {
    return asked === 0 ? 0 : denied / asked
  }

  function percent(value) {
    return `${(value * 100).toFixed(2)} %`
  }

  function count(number) {
    return String(number).replace(/\B(?=(?:\d{3})+$)/g, '\u202f')
  }
}
