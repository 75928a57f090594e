import type { TargetOptions } from '../reading/target-options.js'
import { pageClient } from './page-client.js'
import { readView, type View } from './page-view.js'

/** A place from which views are read. */
export interface ViewSource {
  /** The place without secrets. */
  readonly place: string
  read(): Promise<FoundView>
  close(): void
}

export interface FoundView {
  readonly view: View
  /** The view with all its members, as it was received. */
  readonly whole: unknown
}

/** Opens the place that the options name. */
export async function openViewSource(options: TargetOptions): Promise<ViewSource> {
  const { url, header = [] } = options
  if (url !== undefined) return pageSource(url, Object.fromEntries(header))
  throw new Error('state --url of a dashboard')
}

function pageSource(url: string, headers: Readonly<Record<string, string>>): ViewSource {
  const page = pageClient({ url, headers })
  const readWhole = (whole: unknown, path: string): FoundView => ({
    view: readView(whole, path),
    whole,
  })
  return {
    place: page.shown,
    read: async () => page.get('api/view', {}, readWhole),
    close() {},
  }
}
