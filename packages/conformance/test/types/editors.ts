import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import ts from 'typescript-5'
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node'
import { addProgram, folder, service } from './language-service.js'

/** An editor that has opened a program. */
export interface Editor {
  /** The text of the hover at an offset: a type, and documentation. */
  hover(offset: number): Promise<Shown>
  /** The documentation of each suggestion at an offset, by name. */
  suggestions(offset: number): Promise<ReadonlyMap<string, string>>
  close(): void
}

export interface Shown {
  readonly type: string
  readonly documentation: string
}

export const editors: readonly (readonly [string, (text: string) => Editor | Promise<Editor>])[] = [
  ['TypeScript 5.9', openInFive],
  ['TypeScript 7', openInSeven],
]

function openInFive(text: string): Editor {
  const file = addProgram(text)
  return {
    async hover(offset) {
      const { displayParts, documentation } = service.getQuickInfoAtPosition(file, offset) ?? {}
      return { type: textOf(displayParts), documentation: textOf(documentation) }
    },
    async suggestions(offset) {
      const { entries } = service.getCompletionsAtPosition(file, offset, {}) ?? { entries: [] }
      const named = entries.map(({ name }) => {
        const entry = [file, offset, name, {}, undefined, {}, undefined] as const
        return [name, textOf(service.getCompletionEntryDetails(...entry)?.documentation)] as const
      })
      return new Map(named)
    },
    close() {},
  }
}

function textOf(parts: ts.SymbolDisplayPart[] | undefined): string {
  return oneLine(ts.displayPartsToString(parts))
}

interface Hover {
  readonly contents: { readonly value: string }
}

interface Suggestion {
  readonly label: string
  readonly documentation?: { readonly value: string }
}

/** TypeScript 7 has no language service for programs, but a language server. */
async function openInSeven(text: string): Promise<Editor> {
  const { server, close } = await startServer()
  const uri = pathToFileURL(join(folder, 'untitled.ts')).href
  const textDocument = { uri, languageId: 'typescript', version: 1, text }
  await server.sendNotification('textDocument/didOpen', { textDocument })
  const source = ts.createSourceFile(uri, text, ts.ScriptTarget.Latest)

  async function ask<T>(what: string, offset: number): Promise<T> {
    const position = source.getLineAndCharacterOfPosition(offset)
    return server.sendRequest(`textDocument/${what}`, { textDocument: { uri }, position })
  }

  return {
    async hover(offset) {
      const hover = await ask<Hover | null>('hover', offset)
      const [, type = '', documentation = ''] = hover?.contents.value.split(/^```\w*$/m) ?? []
      return { type: oneLine(type), documentation: oneLine(documentation) }
    },
    async suggestions(offset) {
      const { items } = await ask<{ items: readonly Suggestion[] }>('completion', offset)
      const named = items.map(async (item) => {
        const full = await server.sendRequest<Suggestion>('completionItem/resolve', item)
        return [item.label.replace(/\?$/, ''), oneLine(full.documentation?.value ?? '')] as const
      })
      return new Map(await Promise.all(named))
    },
    close,
  }
}

async function startServer(): Promise<{ server: MessageConnection; close: () => void }> {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = spawn(process.execPath, [join(dirname(manifest), 'bin/tsc'), '--lsp', '--stdio'])
  const server = createMessageConnection(
    new StreamMessageReader(tsc.stdout),
    new StreamMessageWriter(tsc.stdin),
  )
  // The server asks for settings, each of which has its default.
  server.onRequest((_method, params) => Object(params).items?.map(() => null) ?? null)
  server.listen()
  const format = ['markdown']
  const textDocument = {
    hover: { contentFormat: format },
    completion: { completionItem: { documentationFormat: format } },
  }
  const rootUri = pathToFileURL(folder).href
  const capabilities = { textDocument }
  await server.sendRequest('initialize', { processId: process.pid, rootUri, capabilities })
  await server.sendNotification('initialized', {})
  return { server, close: () => void tsc.kill() }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
