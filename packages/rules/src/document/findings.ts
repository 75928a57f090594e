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
  /** Whether another thread has found all of them. This one finds them again, without their positions. */
  readonly isComplete: boolean

  /** @param complete all findings, if another thread has compiled the document */
  constructor(places: Places, complete?: readonly Finding[]) {
    this.#places = places
    this.list = [...(complete ?? [])]
    this.isComplete = complete !== undefined
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error')
  }

  positionOf(path: Path): Position {
    return this.#places.positionOf(path)
  }

  /** Findings of the same document, to which more can be added. */
  copy(): Findings {
    if (this.isComplete) return this
    const copy = new Findings(this.#places)
    copy.addAll(this.list)
    return copy
  }

  addAll(findings: readonly Finding[]): void {
    if (this.isComplete) return
    for (const finding of findings) this.list.push(finding)
  }

  error<C extends RulesErrorCode>(path: Path, code: C, ...details: RulesErrorDetails<C>): void {
    this.#add('error', path, code, details, undefined)
  }

  /** An unknown word, with the known word that was probably meant. */
  unknown<C extends RulesErrorCode>(
    path: Path,
    word: string,
    known: readonly string[],
    code: C,
    ...details: RulesErrorDetails<C>
  ): void {
    this.#add('error', path, code, details, nearestWord(word, known))
  }

  warning<C extends RulesErrorCode>(path: Path, code: C, ...details: RulesErrorDetails<C>): void {
    this.#add('warning', path, code, details, undefined)
  }

  /** A mistake in a file that the document names. */
  inFile<C extends RulesErrorCode>(
    file: string,
    line: number,
    code: C,
    ...details: RulesErrorDetails<C>
  ): void {
    const message = rulesMessage(code, ...details)
    this.addAll([{ severity: 'error', line, column: 1, path: file, code, message }])
  }

  #add<C extends RulesErrorCode>(
    severity: 'error' | 'warning',
    path: Path,
    code: C,
    details: RulesErrorDetails<C>,
    hint: string | undefined,
  ): void {
    if (this.isComplete) return
    const message = rulesMessage(code, ...details)
    const place = { ...this.positionOf(path), path: textOf(path) }
    this.list.push({ severity, ...place, code, message, ...(hint === undefined ? {} : { hint }) })
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
