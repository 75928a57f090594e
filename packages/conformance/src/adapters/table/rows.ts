import type { RowGroup } from './row.js'
import { rowsByAnswer } from './rows-by-answer.js'
import { rowsByCaller } from './rows-by-caller.js'

/** The requests of the table, and their expected responses. */
export const rowGroups: readonly RowGroup[] = [...rowsByAnswer, ...rowsByCaller]
