import ts from 'typescript-5'
import { otherCalls, preamble, type Call } from './calls.js'
import { checked } from './language-service.js'

/** Names of options or of members, each with the first sentence of its TSDoc. */
export type Documented = ReadonlyMap<string, string>

/** A call with its forms: the sets of options that can be passed together. */
export interface CallWithForms extends Call {
  readonly forms: readonly Documented[]
}

/** The calls of all functions of the packages that take options. */
export function callsWithForms(): readonly CallWithForms[] {
  const calls = [...callsOfFunctions(), ...otherCalls]
  const forms = formsOf(calls.map(({ type }) => type))
  const withForms = calls.map((call, i) => Object.assign({ forms: forms[i] }, call))
  return withForms.filter(({ forms }) => forms.length > 0)
}

/** The forms of each type: its members if it is an object, those of each object if it is a union. */
export function formsOf(types: readonly string[]): readonly (readonly Documented[])[] {
  const aliases = types.map((type, i) => `type Type${i} = ${type}`)
  const { source, checker } = checked(`${preamble}\n${aliases.join('\n')}`)
  const declared = source.statements.filter(ts.isTypeAliasDeclaration).slice(-types.length)
  return declared.map(({ type }) => formsOfType(checker.getTypeAtLocation(type), checker))
}

/** The first sentence of a comment. */
export function firstSentence(comment: string): string {
  return comment.replace(/\s+/g, ' ').split(/(?<=\.) /)[0]
}

/** A call of each exported function that has a parameter `options`. */
function callsOfFunctions(): readonly Call[] {
  const { source, checker } = checked(preamble)
  const calls = new Map<ts.Symbol, Call>()
  for (const { moduleSpecifier, importClause } of source.statements.filter(
    ts.isImportDeclaration,
  )) {
    const module = checker.getSymbolAtLocation(moduleSpecifier)
    const names = importClause?.namedBindings
    if (module === undefined || names === undefined || !ts.isNamespaceImport(names)) continue
    for (const exported of checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
      const at = signature?.parameters.findIndex(({ name }) => name === 'options') ?? -1
      // The adapters re-export the functions of core.
      if (at < 0 || calls.has(symbol)) continue
      const name = `${names.name.text}.${exported.name}`
      const before = 'nothing, '.repeat(at)
      const type = `NonNullable<Parameters<typeof ${name}>[${at}]>`
      calls.set(symbol, { name, type, write: (options) => `${name}(${before}${options})` })
    }
  }
  return [...calls.values()]
}

function formsOfType(type: ts.Type, checker: ts.TypeChecker): readonly Documented[] {
  const objects = (type.isUnion() ? type.types : [type]).filter(
    (one) => !checker.isArrayLikeType(one),
  )
  const members = objects.map((one) => one.getProperties().filter(isOwn))
  return members
    .map((all) => all.filter((member) => !isExcluded(member, checker)))
    .filter((all) => all.length > 0)
    .map((all) => new Map(all.map((member) => [member.name, sentenceOf(member)])))
}

/** Whether the packages declare the member, and not a framework or the language. Members whose name is a symbol or begins with `#` are internal. */
function isOwn({ name, declarations = [] }: ts.Symbol): boolean {
  const files = declarations.map((declaration) => declaration.getSourceFile().fileName)
  return (
    /^\w+$/.test(name) &&
    !name.startsWith('__') &&
    files.some((file) => /\/packages\/\w+\/dist\//.test(file))
  )
}

/** Whether the form excludes the option. */
function isExcluded(option: ts.Symbol, checker: ts.TypeChecker): boolean {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(option))
  return (type.flags & ts.TypeFlags.Never) !== 0
}

function sentenceOf({ name, declarations = [] }: ts.Symbol): string {
  const comments = declarations
    .flatMap((declaration) => ts.getJSDocCommentsAndTags(declaration))
    .map(({ comment }) => ts.getTextOfJSDocComment(comment))
  return firstSentence(comments.find((text) => text !== undefined) ?? `"${name}" has no TSDoc`)
}
