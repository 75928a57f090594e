// Finds words and phrases in pages, comments and names of tests that the project does not use, and prints what to write instead. Code in
// blocks and in backticks is not checked.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './workspace.mjs'

const pages = [
  'packages/docs',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/*/README.md',
]
const sources = [
  'packages/*/src/*.ts',
  'packages/*/test/*.ts',
  'examples/*.js',
  'examples/*.mjs',
  'examples/*.ts',
  '.ci/*.mjs',
  'packages/docs/*.mjs',
  'packages/docs/*.js',
  '.config/*.mjs',
  '.config/*.ts',
]
const yaml = ['examples/*.yaml']

/** Each phrase, and the words to write instead. */
const phrases = [
  [/\b(?:Who|What)(?:ever)?\b(?=[^.?!|]*(?:[.!|]|$))/, 'a named subject, such as "A client"'],
  [/(?<=[.;:]\s+)(?:who|what)(?:ever)?\b(?=[^.?!|]*[.!|])/, 'a named subject, such as "a client"'],
  [/\bwho(?:m|ever)\b/i, 'the client, the user, the caller'],
  [/\bWhere\b(?=[^.?!|]*,[^.?!|]*[.!|])/, 'If'],
  [/\b(?:is|are|was|were|be|been) told\b/, 'receives, knows'],
  [/\banymore\b|\bany more\b/, 'no longer, expires'],
  [/\bshut(?:s|ting)?\s+(?:\w+\s+)?out\b/, 'block'],
  [/\blet(?:s|ting)?\s+(?:\w+\s+){0,3}(?:in|through)\b/, 'allow'],
  [/\blet(?:s|ting)?\s+(?:\w+\s+){0,2}go\b/, 'release, evict'],
  [/\badmit(?:s|ted|ting)?\b/i, 'allow'],
  [/\b(?:is|are|was|were|be|go|goes|went|stays?)\s+away\b/, 'unavailable'],
  [/\b(?:thrown?|throws)\s+away\b/, 'remove'],
  [/\b(?:comes?|came|coming)\s+back\b/, 'is available again, returns'],
  [/\b[Ss]t(?:ands?|ood)\b/, 'is, means'],
  [/\b(?:bears?|born)\b/, 'has, starts'],
  [/\bow(?:e|es|ed)\b/, 'must'],
  [/\bof\s+(?:its|their|your|our)\s+(?:own\s+)?making\b/, 'its own'],
  [/\b(?:is|are)\s+none\s+of\b/, 'is not a'],
  [/\bin\s+(?:the|its|their)\s+place\s+of\b/, 'instead of'],
  [/\b(?:makes?|takes?)\s+(?:no\s+)?room\b/, 'evict, memory'],
  [/(?<!\bthere )\b(?:is|are)\s+no\s+(?!longer|more|less|later|\w+er\b)\w+/i, 'is not a'],
  [/\btak(?:e|es|en|ing)\s+the\s+place\s+of\b/, 'replace'],
  [/\b(?:give|gives|gave|given|giving)\s+(?:\w+\s+){0,2}back\b/, 'refund, return'],
  [/\b(?:leave|leaves|left|leaving)\s+(?:\w+\s+){0,2}alone\b/, 'not change, not call'],
  [/\bhang(?:s|ing)?\s+up\b|\bhung\s+up\b/, 'disconnect'],
  [/\bgo(?:es)?\s+on\b|\bwent\s+on\b/, 'continue'],
  [/\bas\s+ever\b|\ball\s+the\s+same\b/, 'still'],
  [/\bafresh\b/, 'again, a new count'],
  [/\bborders?\b/i, 'boundary'],
  [/\banew\b/, 'again'],
  [/\bin\s+silence\b/, 'silently'],
  [/\b(?:speaks?|spoken?)\s+(?:of|to)\b/, 'is about, calls'],
]

if (process.argv.includes('--list')) {
  for (const [phrase, instead] of phrases) console.log(`${phrase.source}  →  ${instead}`)
  process.exit()
}

const found = filesOf(pages)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => findingsIn(file, proseOf(read(file))))
  .concat(filesOf(sources).flatMap((file) => findingsIn(file, commentsOf(read(file)))))
  .concat(filesOf(sources).flatMap((file) => findingsIn(file, testNamesOf(read(file)))))
  .concat(filesOf(yaml).flatMap((file) => findingsIn(file, yamlCommentsOf(read(file)))))

for (const finding of found) console.error(finding)
process.exitCode = found.length === 0 ? 0 : 1

function filesOf(patterns) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

function findingsIn(file, text) {
  return phrases
    .flatMap(([phrase, instead]) =>
      [...text.matchAll(new RegExp(phrase, `${phrase.flags}g`))].map(({ 0: words, index }) => {
        const line = text.slice(0, index).split('\n').length
        return { line, message: `"${words.replace(/\s+/g, ' ')}": write ${instead}` }
      }),
    )
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, message }) => `${file}:${line}: ${message}`)
}

/** A page without code, HTML comments and link targets. The remaining text keeps its position. */
function proseOf(page) {
  return withoutCode(page)
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/^ {4}.*$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
}

/** The comments of a source, and of the Lua in it, at their positions in the text. */
function commentsOf(source) {
  const comment = /^[ \t]*\/\*[\s\S]*?\*\/|(?<=^|[ \t])(?:\/\/|--) .*$/gm
  const marks = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/$/gm
  return withoutCode(onlyMatches(source, comment).replace(marks, blank))
}

function yamlCommentsOf(source) {
  return withoutCode(onlyMatches(source, /(?<=(?:^|\s)#) .*$/gm))
}

/** The names of tests and of groups of tests at their positions, each between two periods, because the phrases look for whole sentences. */
function testNamesOf(source) {
  const name =
    /(?<=(?:\b(?:describe|test|it)(?:\.\w+)*|\))\(\s*)(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`)(?=,)/g
  return onlyMatches(source, name)
    .replace(/(['"`])(?=\s|$)/gm, '.')
    .replace(/['"`]/g, ' ')
    .replace(/^ /, '.')
}

/** A text in which everything that the pattern does not match is blank. */
function onlyMatches(text, pattern) {
  const parts = []
  let end = 0
  for (const { 0: words, index } of text.matchAll(pattern)) {
    parts.push(blank(text.slice(end, index)), words)
    end = index + words.length
  }
  return parts.join('')
}

/** Replaces code in backticks by a word, so that sentences keep their form. */
function withoutCode(text) {
  return text.replace(/(?<!`)`[^`\n]+`(?!`)/g, (code) => 'x'.repeat(code.length))
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ')
}
