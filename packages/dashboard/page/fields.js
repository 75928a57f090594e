/**
 * The text of a field of a form.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export function fieldText(form, name) {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}
