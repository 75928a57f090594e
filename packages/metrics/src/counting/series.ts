export type Labels = Readonly<Record<string, string>>

/** The number of one set of labels. */
export interface Series {
  readonly labels: Labels
  value: number
}

/** The numbers of a metric. */
export class Family {
  readonly series: Series[] = []

  add(labels: Labels): Series {
    const series = { labels, value: 0 }
    this.series.push(series)
    return series
  }
}
