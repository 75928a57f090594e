import { algorithms, ranges } from './policies.js'

/** A choice as radio buttons. The arrow keys move between them. */
export function chips(parent, group, choices, chosen, onChoose) {
  for (const [value, { name }] of Object.entries(choices)) {
    const label = element('label', { className: 'chip' })
    const radio = { type: 'radio', name: group, value, checked: value === chosen }
    label.append(element('input', radio), element('span', { textContent: name }))
    parent.append(label)
  }
  parent.addEventListener('change', ({ target }) => onChoose(target.value))
}

/** Replaces the sliders by those of another algorithm. The focus does not change. */
export function sliders(form, algorithm, numbers, onInput) {
  const { numbers: names } = algorithms[algorithm]
  form.replaceChildren(
    ...Object.entries(names).map(([number, name]) => {
      const id = `number-${number}`
      // A screen reader reads the slider's own text.
      const output = element('span', { className: 'value', ariaHidden: 'true' })
      const input = element('input', {
        id,
        type: 'range',
        min: ranges[number].least,
        max: ranges[number].most,
        value: numbers[number],
      })
      const say = (value) => {
        output.textContent = said(number, value)
        input.setAttribute('aria-valuetext', said(number, value))
      }
      say(numbers[number])
      input.addEventListener('input', () => {
        say(input.valueAsNumber)
        onInput(number, input.valueAsNumber)
      })
      const row = element('div', { className: 'slider' })
      row.append(element('label', { htmlFor: id, textContent: name }), output, input)
      return row
    }),
  )
}

export function options(select, choices, chosen) {
  select.replaceChildren(
    ...Object.entries(choices).map(([value, { name }]) =>
      element('option', { value, textContent: name, selected: value === chosen }),
    ),
  )
}

/** Buttons that copy the text of the element that they name. */
export function copyButtons() {
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button) {
  const { textContent } = button
  const source = document.getElementById(button.dataset.copies)
  // Over plain HTTP from another machine, a page cannot write to the clipboard.
  if (navigator.clipboard === undefined) {
    getSelection().selectAllChildren(source)
    button.textContent = 'Selected'
  } else {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
  }
  setTimeout(() => (button.textContent = textContent), 1500)
}

function said(number, value) {
  return number === 'window' || number === 'work' ? `${value} s` : `${value}`
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties)
}
