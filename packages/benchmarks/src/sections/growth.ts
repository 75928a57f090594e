import { startRedis } from '@sluice/test-kit/servers'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { figures } from '../growth/figures.js'
import { svgOf } from '../growth/plot.js'
import { floor } from '../growth/subject.js'
import { trace, type Traced } from '../growth/trace.js'
import { ratio, table } from '../markdown.js'
import type { Section } from '../section.js'

/** How the cost of a decision grows with the number of keys, policies, processes and so on. */
export const growth: Section = {
  name: 'growth',
  page: 'growth.md',
  minutes: 5,
  async run(say, quick) {
    const server = await startRedis()
    try {
      const admin = server.client()
      const rounds = quick ? 2 : 5
      const traced: Traced[] = []
      for (const figure of figures(server.port, quick)) {
        traced.push(await trace(figure, admin, rounds, say))
      }
      const conditions = await conditionsOf(admin)
      return {
        results: { conditions, rounds, figures: traced.map(plain) },
        pictures: Object.fromEntries(traced.map((one) => [one.figure.name, pictureOf(one)])),
        table: [`${sentenceOf(conditions)} ${rounds} rounds, medians.`, ...traced.map(partOf)].join(
          '\n\n',
        ),
      }
    } finally {
      await server.stop()
    }
  },
}

function plain({ figure: { name, x, y, ticks }, lines }: Traced) {
  return { name, x, y, ticks, lines }
}

function pictureOf({ figure: { title, x, y, ticks }, lines }: Traced): string {
  return svgOf({
    title,
    x: { label: x, ticks },
    y,
    lines: Object.entries(lines).map(([name, spreads]) => ({
      name: nameOf(name),
      values: spreads.map(({ median }) => median),
    })),
  })
}

function partOf({ figure: { name, title, x, y, ticks }, lines }: Traced): string {
  const rows = Object.entries(lines).map(([line, spreads]) =>
    [nameOf(line)].concat(spreads.map(({ median }) => ratio(median))),
  )
  return [
    `### ${title}`,
    `![${title}](results/growth-${name}.svg)`,
    table([`${x} (${y})`, ...ticks.map(String)], rows),
  ].join('\n\n')
}

function nameOf(line: string): string {
  return line === floor ? 'the least that counts' : line
}
