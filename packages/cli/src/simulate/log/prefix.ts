import { objectIn } from './json-object.js'
import { BadLine } from './record.js'

const zoned = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)`
const dated = String.raw`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d`

/** The prefix that another program writes before each line of a log: `docker logs` or `docker compose logs`, syslog, or containerd (`cri`). */
export type Prefix = 'docker' | 'syslog' | 'cri'

/**
 * The prefixes that other programs write before a line: `docker compose logs` the container, and `docker logs --timestamps` a time
 * (docs.docker.com/reference/cli/docker); syslog what RFC 3164 §4.1, RFC 5424 §6 and rsyslog's file format say; containerd what the Container Runtime
 * Interface of Kubernetes says.
 */
const patterns: Readonly<Record<Prefix, RegExp>> = {
  docker: new RegExp(String.raw`^(?:[\w.-]+ +\| (?:${zoned} )?|${zoned} )`),
  syslog: new RegExp(
    String.raw`^(?:<\d{1,3}>)?(?:(?:${dated}|${zoned}) (?:[\w.:-]+ +)?[\w./-]+(?:\[\d+\])?: ?|1 ${zoned} \S+ \S+ \S+ \S+ (?:-|(?:\[[^\]]*\])+) )`,
  ),
  cri: new RegExp(String.raw`^${zoned} (?:stdout|stderr) F `),
}

export const prefixes: readonly Prefix[] = ['docker', 'syslog', 'cri']

/** Removes a prefix from a line, and takes the line out of the JSON that Docker stores. */
export function withoutPrefix(line: string, prefix: Prefix | undefined): string | BadLine {
  if (prefix === undefined) return line
  const stored = prefix === 'docker' ? storedLine(line) : undefined
  if (stored !== undefined) return stored
  const found = patterns[prefix].exec(line)
  return found === null ? new BadLine(`no prefix of ${prefix}`, 0) : line.slice(found[0].length)
}

/** The line in `{"log":"…\n","stream":"stdout","time":"…"}`, of Docker's driver json-file. */
function storedLine(line: string): string | undefined {
  if (!line.startsWith('{"log":"')) return undefined
  const log = objectIn(line)?.['log']
  return typeof log === 'string'
    ? Buffer.from(log.replace(/\r?\n$/, ''), 'utf8').toString('latin1')
    : undefined
}
