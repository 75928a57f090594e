import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Report } from './report.js'

/** Formats a report as a page that works offline. Its content security policy allows only its own script and style. */
export async function reportAsHtml(report: Report): Promise<string> {
  const [library, libraryStyle, chart, script, style] = await Promise.all([
    readFile(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    readFile(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    readFile(new URL('chart.js', pages), 'utf8'),
    readFile(new URL('report.js', pages), 'utf8'),
    readFile(new URL('report.css', pages), 'utf8'),
  ])
  const scripts = `${library}\n${chart}\n${script}`
  const styles = `${libraryStyle}\n${style}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hashOf(scripts)}; style-src ${hashOf(styles)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sluice simulate</title>
<style>${styles}</style>
</head>
<body>
<main></main>
<script type="application/json" id="report">${dataOf(report)}</script>
<script>${scripts}</script>
</body>
</html>
`
}

const require = createRequire(import.meta.url)
const pages = new URL('../../../page/', import.meta.url)

/** The data of a script element. Escapes `<`, because text of a log could close the element. */
function dataOf(report: Report): string {
  return JSON.stringify(report).replaceAll('<', String.raw`\u003c`)
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
