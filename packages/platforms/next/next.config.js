// The folder of the repository: the packages are linked, and not in the folder of this application.
const root = new URL('../../..', import.meta.url).pathname

export default { turbopack: { root } }
