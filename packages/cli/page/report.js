// The script of the report. It sets all text by `textContent`, because a log contains text that clients sent.
'use strict'
{
  const report = JSON.parse(document.getElementById('report').textContent)
  const page = document.querySelector('main')

  const { log, variants } = report
  add(page, 'h1', 'What if: ' + log.files.join(', '))
  add(page, 'p', `${count(log.lines)} lines (${log.format}), ${log.from} to ${log.to}.`).className =
    'about'

  add(page, 'h2', 'Summary')
  table(
    page,
    ['', 'requests', 'denied', 'share', 'keys', 'keys denied', 'worst 5 minutes', 'longest streak'],
    variants.map((variant) => [
      variant.name,
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
  window.chart = window.drawChart(chart, variants)

  if (report.compared !== undefined) drawComparison(report.compared)
  if (report.suggestion !== undefined && report.suggestion.length > 0) {
    add(page, 'h2', 'Suggested limits')
    table(
      page,
      ['algorithm', 'limit', 'window', 'burst', 'share denied', 'keys denied'],
      report.suggestion.map((one) => [
        one.algorithm,
        count(one.limit),
        one.window,
        one.burst === undefined ? '' : count(one.burst),
        percent(one.share),
        count(one.keys),
      ]),
    )
  }
  for (const variant of variants) drawVariant(variant)

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
    add(page, 'h2', `${variant.name}: settings`)
    const { key } = variant
    add(
      page,
      'pre',
      JSON.stringify(
        { ...(key === undefined ? {} : { key }), policies: variant.policies },
        undefined,
        2,
      ),
    )
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
      add(page, 'h2', 'Newly admitted')
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
      cells[3].append(sparkline(key.series))
      cells[4].className = 'text'
      cells[5].className = 'text agent'
    })
  }

  /** If few of the denied requests had the same path, the path does not describe the key. */
  function mostlyAt({ mostlyAt, mostlyAtShare }) {
    if (mostlyAt === '') return ''
    return mostlyAtShare < 0.1 ? 'many paths' : `${mostlyAt} (${Math.floor(mostlyAtShare * 100)} %)`
  }

  function sparkline(series) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    svg.setAttribute('class', 'spark')
    svg.setAttribute('viewBox', '0 0 120 22')
    const greatest = Math.max(1, ...series.map(({ denied }) => denied))
    const width = 120 / Math.max(1, series.length)
    series.forEach(({ denied }, i) => {
      if (denied === 0) return
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
      const height = Math.max(1, (denied / greatest) * 22)
      const shape = { x: i * width, y: 22 - height, width: Math.max(1, Math.min(width, 6)), height }
      for (const [name, value] of Object.entries(shape)) bar.setAttribute(name, String(value))
      svg.append(bar)
    })
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
