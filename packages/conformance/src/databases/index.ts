export { askedDecisions } from './asked-decisions.js'
export { describeFaultyRows } from './describe-faulty-rows.js'
export { unlimitedStore } from './unlimited-store.js'
