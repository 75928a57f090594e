import { behaviours } from '../../../../servers/behaviours.js'

export const runtime = 'edge'

const behave = behaviours({ proxies: 1 })

export { behave as GET, behave as HEAD }
