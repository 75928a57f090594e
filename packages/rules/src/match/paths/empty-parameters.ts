/**
 * The forms of a pattern without parameters that are parts of segments: Fastify takes `/img/.png` for `/img/:name.png` with an empty name, and Fastify 4 also
 * `/img/`. In the readings of a path, an empty segment is `%00`, which a parameter that is a whole segment fits by itself.
 */
export function withoutParts(pattern: string): readonly string[] {
  let forms = ['']
  for (const segment of pattern.slice(1).split('/')) {
    const all = whole.test(segment) ? [segment] : formsOf(segment)
    forms = forms.flatMap((form) => all.map((one) => `${form}/${one}`)).slice(0, mostForms)
  }
  return forms.filter((form) => form !== pattern)
}

const mostForms = 32

const whole = /^(?::[A-Za-z_]\w*[*+?]?|\*\*.*|[^:]*)$/

/** A segment with and without each of its parameters, the segment itself first, and the empty one. */
function formsOf(segment: string): readonly string[] {
  let forms = ['']
  for (const [i, part] of segment.split(parameter).entries()) {
    forms = forms.flatMap((form) => (i % 2 === 1 ? [form + part, form] : [form + part]))
  }
  return [...forms, '%00']
}

const parameter = /((?<!\\):[A-Za-z_]\w*\??)/
