/** @import { ActName } from './view.js' */

/**
 * @typedef {object} About
 * @property {string} label
 * @property {string} done
 * @property {string} meaning
 * @property {readonly ('length' | 'units')[]} [needs]
 * @property {boolean} [isSevere] it takes something from the client
 */

/** @type {Readonly<Record<ActName, About>>} */
export const acts = {
  block: {
    label: 'Block',
    done: 'Blocked',
    meaning: 'Denies every request of the key for a time.',
    needs: ['length'],
    isSevere: true,
  },
  unblock: {
    label: 'Unblock',
    done: 'Unblocked',
    meaning: 'Ends the block. The units that the key has used still count.',
  },
  exempt: {
    label: 'Exempt',
    done: 'Exempt',
    meaning: 'Allows every request of the key for a time, and counts none of them.',
    needs: ['length'],
  },
  unexempt: {
    label: 'End exemption',
    done: 'Counted and limited again',
    meaning: 'The requests of the key are counted and limited again.',
  },
  grant: {
    label: 'Grant',
    done: 'Granted',
    meaning: 'Gives the key units beside its quota for a time, in place of those it has.',
    needs: ['units', 'length'],
  },
  ungrant: {
    label: 'End grant',
    done: 'Without a grant',
    meaning: 'Ends the grant. The units that the key has used of its quota still count.',
  },
  reset: {
    label: 'Reset',
    done: 'Reset',
    meaning:
      'Deletes what the key has used, so that its full quota is available. End a block first.',
  },
  penalize: {
    label: 'Penalize',
    done: 'Penalized',
    meaning: 'Takes units from the quota of the key, even if fewer remain.',
    needs: ['units'],
    isSevere: true,
  },
}

/** The acts in the order of the form. @type {readonly ActName[]} */
export const actNames = [
  'block',
  'unblock',
  'exempt',
  'unexempt',
  'grant',
  'ungrant',
  'reset',
  'penalize',
]
