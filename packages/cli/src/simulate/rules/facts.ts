import type { Facts, RulesDocument } from '@sluice/rules'
import { valueFromText } from '@sluice/rules/check'
import type { LogRecord } from '../log/record.js'

/** The values of a table, by the value of one field of the log. */
export interface Table {
  /** The field of the log that chooses the row. */
  readonly on: string
  readonly columns: ReadonlySet<string>
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The facts that rules read from a line. One object is reused for all lines. */
export class RecordFacts implements Facts {
  record: LogRecord
  readonly #document: RulesDocument
  readonly #table: Table | undefined

  constructor(record: LogRecord, document: RulesDocument, table: Table | undefined) {
    this.record = record
    this.#document = document
    this.#table = table
  }

  get method(): string {
    return this.record.method
  }

  get url(): string {
    return this.record.url
  }

  get host(): string | undefined {
    return this.record.host
  }

  get ip(): string | undefined {
    return this.record.address?.text
  }

  header(name: string): string | undefined {
    return this.record.header(name)
  }

  /**
   * A declared value, from the table or from the field with its name. Tables contain only texts, and logs write some numbers as texts and some texts as
   * numbers, so it has the type of the declaration.
   */
  value(name: string): unknown {
    const value = this.#recorded(name)
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? valueFromText(this.#document, name, `${value}`)
      : value
  }

  #recorded(name: string): unknown {
    const table = this.#table
    if (table?.columns.has(name) === true) {
      const key = this.#fieldOf(table.on)
      return typeof key === 'string' || typeof key === 'number'
        ? table.rows.get(`${key}`)?.get(name)
        : undefined
    }
    return this.#fieldOf(name)
  }

  #fieldOf(name: string): unknown {
    return name === 'user' ? (this.record.user ?? this.record.field(name)) : this.record.field(name)
  }
}
