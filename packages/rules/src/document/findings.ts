import { nearestWord } from '@sluice/core/http'
import {
  rulesMessage,
  type Finding,
  type RulesErrorCode,
  type RulesErrorDetails,
} from '../errors.js'
import type { Path, Position } from './syntax.js'

/** Collects the mistakes of a document, so that a person sees all of them at once. */
export class Findings {
  readonly list: Finding[] = []
  readonly positionOf: (path: Path) => Position

  constructor(positionOf: (path: Path) => Position) {
    this.positionOf = positionOf
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error')
  }

  error<C extends RulesErrorCode>(path: Path, code: C, ...details: RulesErrorDetails<C>): void {
    this.list.push(this.#finding('error', path, code, details, undefined))
  }

  /** An unknown word, with the known word that was probably meant. */
  unknown<C extends RulesErrorCode>(
    path: Path,
    word: string,
    known: readonly string[],
    code: C,
    ...details: RulesErrorDetails<C>
  ): void {
    this.list.push(this.#finding('error', path, code, details, nearestWord(word, known)))
  }

  warning<C extends RulesErrorCode>(path: Path, code: C, ...details: RulesErrorDetails<C>): void {
    this.list.push(this.#finding('warning', path, code, details, undefined))
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

  #finding<C extends RulesErrorCode>(
    severity: 'error' | 'warning',
    path: Path,
    code: C,
    details: RulesErrorDetails<C>,
    hint: string | undefined,
  ): Finding {
    const message = rulesMessage(code, ...details)
    const place = { ...this.positionOf(path), path: textOf(path) }
    return { severity, ...place, code, message, ...(hint === undefined ? {} : { hint }) }
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
