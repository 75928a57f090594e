import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A query of Prometheus, and the labels that its texts show. */
export interface Query {
  readonly where: string
  readonly expr: string
  readonly shown: readonly string[]
}

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

export const alertsPath: string = new URL('../alerts.yaml', import.meta.url).pathname
export const alerts: readonly Alert[] = parse(readFileSync(alertsPath, 'utf8')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
)

export const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL('../grafana.json', import.meta.url), 'utf8'),
)

export const alertQueries: readonly Query[] = alerts.map(({ alert, expr, annotations }) => {
  const texts = Object.values(annotations).join(' ')
  return { where: alert, expr, shown: found(texts, /\$labels\.(\w+)/g) }
})

export const panelQueries: readonly Query[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => {
    return { where: title, expr, shown: found(legendFormat, /\{\{(\w+)\}\}/g) }
  }),
)

/** The queries of the lists from which a reader of the dashboard chooses. */
export const variableQueries: readonly Query[] = dashboard.templating.list.flatMap(
  ({ name, definition }) => {
    const [, expr, label] = /^label_values\((.*), (\w+)\)$/.exec(definition ?? '') ?? []
    return expr === undefined || label === undefined ? [] : [{ where: name, expr, shown: [label] }]
  },
)

/** The names of metrics in a query. */
export function metricsIn({ expr }: Query): readonly string[] {
  return found(expr, /\b(sluice_\w+)/g)
}

/** The names of labels in a query: in its selectors, in its groups, and in its texts. */
export function labelsIn({ expr, shown }: Query): readonly string[] {
  const selectors = found(expr, /\{([^}]*)\}/g)
  const groups = found(expr, /\b(?:by|on)\s*\(([^)]*)\)/g)
  return [
    ...selectors.flatMap((selector) => found(selector, /(\w+)\s*(?:=~|!~|!=|=)/g)),
    ...groups.flatMap((group) => found(group, /(\w+)/g)),
    ...shown,
  ]
}

function found(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => name)
}
