/**
 * The names that the hosts of a request can mean, in lower case: those of its headers and of its framework. A host that is not spelled plainly has several
 * names, because frameworks cut its port off in different ways, and Koa also reads `user@host` and the first of several hosts. '' is that of a framework that
 * finds none.
 */
export function hostNames(hosts: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const host of hosts) {
    const text = host.toLowerCase()
    const [, name] = plain.exec(text) ?? []
    if (name !== undefined || text === '') names.add(name ?? '')
    else for (const one of namesIn(text)) names.add(one)
  }
  const found = [...names]
  return found.every((name) => name === '') ? [] : found
}

/** A name or an address, and perhaps a port. */
const plain = /^([a-z\d_](?:[a-z\d._-]*[a-z\d_-])?|\[[\da-f:.]+\])(?::\d{1,5})?$/

function namesIn(text: string): readonly string[] {
  const hosts = [...new Set([text.split(',', 1)[0], text, text.slice(text.lastIndexOf(',') + 1)])]
  const withoutUser = hosts.map((host) => host.slice(host.lastIndexOf('@') + 1))
  const names = [...withoutUser, ...hosts].map(withoutPort).map((name) => name.replace(/\.$/, ''))
  // The text itself, so that the host has several names.
  return [...names, text].filter((name) => name !== '')
}

function withoutPort(host: string): string {
  const text = host.trim()
  const colon = text.indexOf(':', text.startsWith('[') ? text.indexOf(']') : 0)
  return colon === -1 ? text : text.slice(0, colon)
}
