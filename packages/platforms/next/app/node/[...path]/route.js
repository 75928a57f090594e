import { behaviours } from '../../../../servers/behaviours.js'

const behave = behaviours({ proxies: 1 })

export { behave as GET, behave as HEAD }
