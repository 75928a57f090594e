export { simulate } from './simulate.js'
export type {
  Log,
  PolicyVariant,
  RulesVariant,
  SimulatedVariant,
  SimulateOptions,
  SuggestRequest,
} from './options.js'
export { tableOf } from './rules/table.js'
export type { Table } from './rules/facts.js'
export type { FieldName, FieldNames } from './log/json.js'
export type { FormatOptions } from './log/format-options.js'
export type { Prefix } from './log/prefix.js'
export type { ReadProgress } from './log/read.js'
export type {
  ComparedReport,
  DenialsPoint,
  KeyDenialsPoint,
  LogReport,
  Report,
  RequestsPoint,
  RuleReport,
  TopKey,
  VariantReport,
} from './report/report.js'
