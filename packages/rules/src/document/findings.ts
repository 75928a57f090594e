import { nearestWord } from '@sluice/core/internal'
import {
  rulesMessage,
  type Finding,
  type RulesErrorCode,
  type RulesErrorDetails,
} from '../errors.js'
import type { Path, Places, Position } from './syntax.js'

/** Collects the mistakes of a document, so that a person sees all of them at once. */
export class Findings {
  readonly list: Finding[]
  readonly #places: Places

  constructor(places: Places, found: readonly Finding[] = []) {
    this.#places = places
    this.list = [...found]
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error')
  }

  positionOf(path: Path): Position {
    return this.#places.positionOf(path)
  }

  /** A place of the document, which reports the mistakes in it. */
  place(...path: (string | number)[]): Place {
    return new Place(this, path)
  }

  /** A mistake in a file that the document names. */
  inFile<C extends RulesErrorCode>(
    file: string,
    line: number,
    code: C,
    ...details: RulesErrorDetails<C>
  ): void {
    const message = rulesMessage(code, ...details)
    this.list.push({ severity: 'error', line, column: 1, path: file, code, message })
  }
}

/** A place of a document, at which mistakes are reported. */
export class Place {
  readonly findings: Findings
  readonly path: Path

  constructor(findings: Findings, path: Path) {
    this.findings = findings
    this.path = path
  }

  /** A member of what stands here. */
  at(...steps: (string | number)[]): Place {
    return new Place(this.findings, [...this.path, ...steps])
  }

  error<C extends RulesErrorCode>(code: C, ...details: RulesErrorDetails<C>): undefined {
    this.#add('error', rulesMessage(code, ...details), code)
  }

  warning<C extends RulesErrorCode>(code: C, ...details: RulesErrorDetails<C>): undefined {
    this.#add('warning', rulesMessage(code, ...details), code)
  }

  /** An unknown word, with the known word that was probably meant. */
  unknown<C extends RulesErrorCode>(
    word: string,
    known: readonly string[],
    code: C,
    ...details: RulesErrorDetails<C>
  ): undefined {
    const hint = nearestWord(word, known)
    this.#add('error', rulesMessage(code, ...details), code, hint === undefined ? {} : { hint })
  }

  #add(
    severity: Finding['severity'],
    message: string,
    code: RulesErrorCode,
    more: object = {},
  ): void {
    const place = { ...this.findings.positionOf(this.path), path: textOf(this.path) }
    this.findings.list.push({ severity, ...place, code, message, ...more })
  }
}

/** A place in words: `rules[2].when.ip`, `rules[2].when["header.x"]`. */
function textOf(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[\w-]+$/.test(step)) text += `[${JSON.stringify(step)}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}
