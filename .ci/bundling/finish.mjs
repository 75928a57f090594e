import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'vite'

/** Finishes a bundle: an application can leave out what it does not use, starts quickly, and sees the names of classes. The map leads to the sources of the package. */
export function finish(file, folder) {
  rewrite(file, (text) => withConstants(markPure(withLatePackages(withClassNames(text)))))
  rewrite(`${file}.map`, (text) => withoutOwnSources(text, file, folder))
}

/**
 * Marks the value of each variable of a module as free of effects, so that the bundler of an application can leave out what the application does not use.
 * package.json declares it of whole files, which would be enough for one file for each module. A value that a bundler knows to be free of effects
 * stays as it is: V8 compiles the functions in a function that is called at once when the application starts, and others when they are first called.
 */
function markPure(code) {
  let text = code
  const variables = parseAst(text).body.flatMap((node) => node.declarations ?? [])
  for (const { id, init } of variables.toReversed()) {
    if (init === null || isPure(init)) continue
    const value = text.slice(init.start, init.end)
    text = text.slice(0, init.start) + marked(value, id.name, init) + text.slice(init.end)
  }
  return text
}

function marked(value, name, { type, callee, arguments: args }) {
  if (callee?.type === 'Identifier' && args.every(isPure)) return `/* @__PURE__ */ ${value}`
  // Only a call can be marked, and in a call a class has no name of its own.
  const named =
    type === 'ClassExpression' ? value.replace(/^class(?= extends| \{)/, `class ${name}`) : value
  return `/* @__PURE__ */ (() => (${named}))()`
}

/** Whether a bundler sees that the value of an expression has no effects. */
function isPure(node) {
  switch (node?.type) {
    case 'Literal':
    case 'Identifier':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return true
    case 'UnaryExpression':
      return node.argument.type === 'Literal'
    case 'TemplateLiteral':
      return node.expressions.length === 0
    case 'ArrayExpression':
      return node.elements.every(isPure)
    case 'ObjectExpression':
      return node.properties.every(({ computed, value }) => !computed && isPure(value))
    case 'ClassExpression':
      return node.superClass === null && node.body.body.every(isPureMember)
    default:
      return false
  }
}

/** A static field and a computed name run code when the class is defined. */
function isPureMember({ static: isStatic, computed }) {
  return !isStatic && !computed
}

/** A bundled package in CommonJS runs when it is first used, not when the application starts. */
function withLatePackages(code) {
  const imported = /^var (import_\w+) = __toESM\((require_\w+)\(\), 1\);$/gm
  return [...code.matchAll(imported)].reduce((text, [line, name, load]) => {
    const used = text
      .replace(line, '')
      .replace(new RegExp(`\\b${name}\\.default\\b`, 'g'), `(${load}())`)
    if (new RegExp(`\\b${name}\\b`).test(used))
      throw new Error(`${name} has other uses than its default export`)
    return used
  }, code)
}

/** esbuild declares the variables of modules by `var`. V8 reads a `const` in optimized code without a load, so that a decision is faster. */
function withConstants(code) {
  const program = parseAst(code)
  const assigned = assignedIn(program)
  const isConstant = ({ id, init }) =>
    init !== null && id.type === 'Identifier' && !assigned.has(id.name)
  const constants = program.body.filter(
    ({ type, kind, declarations }) =>
      type === 'VariableDeclaration' && kind === 'var' && declarations.every(isConstant),
  )
  return constants
    .toReversed()
    .reduce((text, { start }) => `${text.slice(0, start)}const${text.slice(start + 3)}`, code)
}

/** The names of all variables that are assigned after their declaration, in any scope. */
function assignedIn(node, names = new Set()) {
  if (Array.isArray(node)) for (const child of node) assignedIn(child, names)
  if (typeof node?.type !== 'string') return names
  if (node.type === 'AssignmentExpression' || node.type.startsWith('For')) namesIn(node.left, names)
  if (node.type === 'UpdateExpression') namesIn(node.argument, names)
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) assignedIn(child, names)
  }
  return names
}

/** Adds the names in the target of an assignment: a variable, or a pattern of several. */
function namesIn(target, names) {
  if (Array.isArray(target)) for (const child of target) namesIn(child, names)
  else if (target?.type === 'Identifier') names.add(target.name)
  // An element of an array is assigned, not the array.
  else if (target?.type === 'MemberExpression') return
  else if (typeof target === 'object' && target !== null) {
    for (const child of Object.values(target)) namesIn(child, names)
  }
}

/** A class that refers to itself keeps its name, which stack traces and logs show: esbuild writes `X = class _X`. */
function withClassNames(code) {
  const renamed = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name)
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), name), code)
}

/** The package contains its own sources, so its maps need only those of the bundled packages. */
function withoutOwnSources(text, file, folder) {
  const map = JSON.parse(text)
  const isOwn = (source) => join(dirname(file), source).startsWith(join(folder, 'src', '/'))
  const sourcesContent = map.sources.map((source, i) =>
    isOwn(source) ? null : map.sourcesContent[i],
  )
  return JSON.stringify({ ...map, sourcesContent })
}

function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
