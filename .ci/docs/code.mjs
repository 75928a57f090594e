import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { root } from '../workspace.mjs'

const block =
  /^<!-- code: (?<file>[^\s#]+)(?:#(?<region>\S+))? -->\n(?:\n?```[^\n]*\n[\s\S]*?^```\n)?/gm

/** The page with the current code of each block. */
export function codeFrom(page) {
  return page.replace(block, (...match) => {
    const { file, region } = match.at(-1)
    const source = readFileSync(join(root, file), 'utf8')
    const code = region === undefined ? withoutMarks(source) : regionOf(source, region, file)
    const marker = `<!-- code: ${file}${region === undefined ? '' : `#${region}`} -->`
    return `${marker}\n\n\`\`\`${extname(file).slice(1).replace('mjs', 'js')}\n${code}\n\`\`\`\n`
  })
}

/** The blocks of code without a source. Commands and their output need none. */
export function strayCode(page) {
  const rest = page.replace(block, '')
  return [...rest.matchAll(/^```(\S*)[^\n]*\n[\s\S]*?^```$/gm)]
    .filter(([, language]) => language !== 'sh' && language !== 'text')
    .map(([code]) => `this code has no source file:\n${code}`)
}

/**
 * The lines of a region: from `// #region name` (`# #region name` in YAML) to its `#endregion`. Regions with the same name are joined by an empty line,
 * except between imports.
 */
function regionOf(source, name, file) {
  const parts = []
  let depth = 0
  for (const line of source.split('\n')) {
    const [, mark, started] = /^\s*(?:\/\/|#) #(region|endregion)(?: (.*))?$/.exec(line) ?? []
    if (mark === undefined) {
      if (depth > 0) parts.at(-1).push(line)
    } else if (depth > 0) {
      depth += mark === 'region' ? 1 : -1
    } else if (started === name) {
      depth = 1
      parts.push([])
    }
  }
  if (parts.length === 0) throw new Error(`${file} has no region "${name}"`)
  return parts
    .map((lines) => outdented(lines))
    .reduce((text, part) => {
      const areImports =
        /^(?:import .*|} from .*)$/.test(text.split('\n').at(-1)) && part.startsWith('import ')
      return `${text}${areImports ? '\n' : '\n\n'}${part}`
    })
}

function outdented(lines) {
  const indents = lines.filter((line) => line !== '').map((line) => /^ */.exec(line)[0].length)
  const least = Math.min(...indents)
  return lines
    .map((line) => line.slice(least))
    .join('\n')
    .trim()
}

function withoutMarks(source) {
  return source.replace(/^\s*(?:\/\/|#) #(?:end)?region.*\n/gm, '').trim()
}
