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
export type { FieldName, FieldNames } from './cut/json-fields.js'
export type { Format, FormatOptions } from './cut/detect.js'
export type { ReadProgress } from './read-log.js'
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
