import type { Registry } from 'prom-client'

/** The lines of a metric in the text that Prometheus reads, without its name, by the labels: `{ 'limiter="api"': 3 }`. */
export async function numbersOf(register: Registry, name: string): Promise<Record<string, number>> {
  const lines = (await register.metrics()).split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, found, labels = '', number] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      return found === name ? [[labels, Number(number)]] : []
    }),
  )
}
