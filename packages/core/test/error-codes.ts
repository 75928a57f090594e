import { limiterMessages } from '../src/errors/limiter.js'
import { optionMessages } from '../src/errors/options.js'
import { requestMessages } from '../src/errors/requests.js'
import { storeMessages } from '../src/errors/stores.js'

const messages = { ...optionMessages, ...limiterMessages, ...requestMessages, ...storeMessages }

/** The codes of core. */
export type CoreCode = keyof typeof messages

export const errorCodes = Object.keys(messages) as readonly CoreCode[]
