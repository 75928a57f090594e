import { callBuckets } from '../metric-table.js'
import type { Labels } from '../counting/series.js'

/** The durations of calls with one set of labels. */
export class BucketCounts {
  readonly labels: Labels
  /** For each bucket, the calls above the bucket before it. The last one has no upper bound. */
  readonly counts: number[] = emptyBuckets()
  sum = 0

  constructor(labels: Labels) {
    this.labels = labels
  }

  record(seconds: number): void {
    const found = callBuckets.findIndex((bound) => seconds <= bound)
    this.counts[found === -1 ? callBuckets.length : found]++
    this.sum += seconds
  }

  reset(): void {
    this.counts.fill(0)
    this.sum = 0
  }
}

function emptyBuckets(): number[] {
  return Array.from({ length: callBuckets.length + 1 }, () => 0)
}
