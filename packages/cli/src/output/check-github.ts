import type { CheckedDocument, PlacedFinding } from '../reading/document.js'
import { messageOf, type CheckReport } from './check-text.js'
import { visible } from '../text/visible.js'

/** Formats a check as workflow commands of GitHub Actions, which show it as annotations. */
export function checkAsGithub({ documents }: CheckReport): string {
  const commands = documents.flatMap((document) => [
    ...document.findings.map(annotation),
    ...notices(document),
  ])
  return commands.map((command) => `${command}\n`).join('')
}

function annotation(finding: PlacedFinding): string {
  const { severity, file, line, column, code } = finding
  const place = line === 0 ? [] : [`line=${line}`, `col=${column}`]
  const properties = [`file=${property(file)}`, ...place, `title=${code}`]
  return `::${severity} ${properties.join(',')}::${data(messageOf(finding))}`
}

function notices({ file, comparison }: CheckedDocument): string[] {
  const afresh = comparison?.afresh ?? []
  return afresh.map(({ rule, words }) => {
    const message = visible(`The counts of "${rule}" start again: ${words}`)
    return `::notice file=${property(file)}::${data(message)}`
  })
}

/** `%` begins an escape, and a line break ends a command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(visible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
