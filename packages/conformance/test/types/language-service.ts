import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'

/** The folder of the programs that the tests write. They import the built packages by their names, and are never on disk. */
export const folder: string = fileURLToPath(new URL('.', import.meta.url))

const programs = new Map<string, string>()

const settings: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

function textOf(file: string): string | undefined {
  return programs.get(file) ?? ts.sys.readFile(file)
}

/** The language service of TypeScript 5. All programs share it, so that it reads the declarations of the packages once. */
export const service: ts.LanguageService = ts.createLanguageService({
  getCompilationSettings: () => settings,
  getCurrentDirectory: () => folder,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getScriptFileNames: () => [...programs.keys()],
  getScriptVersion: () => '1',
  getScriptSnapshot(file) {
    const text = textOf(file)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  fileExists: (file) => programs.has(file) || ts.sys.fileExists(file),
  readFile: textOf,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: ts.sys.realpath ?? ((path) => path),
})

/** Adds a program of one file, and returns the name of the file. */
export function addProgram(text: string): string {
  const file = join(folder, `untitled-${programs.size}.ts`)
  programs.set(file, text)
  return file
}

export interface Checked {
  readonly source: ts.SourceFile
  readonly checker: ts.TypeChecker
}

export function checked(text: string): Checked {
  const file = addProgram(text)
  const program = service.getProgram()
  const source = program?.getSourceFile(file)
  if (program === undefined || source === undefined) throw new Error('the program has no file')
  return { source, checker: program.getTypeChecker() }
}
