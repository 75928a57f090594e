import {
  calendarWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingWindow,
  staged,
  type Policy,
  type StagedPolicy,
} from '@sluice/core'
import { calendarWindowMeaning } from '../models/windows/calendar-window.js'
import { fixedWindowMeaning } from '../models/windows/fixed-window.js'
import { gcraMeaning } from '../models/buckets/gcra.js'
import { leakyBucketMeaning } from '../models/buckets/leaky-bucket.js'
import { leakyQueueMeaning } from '../models/buckets/leaky-queue.js'
import type { Meaning } from '../models/model.js'
import { slidingWindowMeaning } from '../models/windows/sliding-window.js'
import { stagedMeaning } from '../models/staged.js'
import { unitsPerClockWindow } from './promises.js'
import { sampleOf, type Sample } from './sample.js'

interface Stage {
  readonly policy: Policy
  readonly meaning: Meaning
}

const day = calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' })
const onTheClock = fixedWindow({ limit: 3, window: 10_000, align: 'clock' })
const nothing = fixedWindow({ limit: 0, window: 10_000, align: 'clock' })
const first = fixedWindow({ limit: 4, window: '1m' })
const sliding = slidingWindow({ limit: 5, window: 1000 })
const weighted = slidingWindow({ limit: 3, window: 1000, tail: 'weighted' })
const one = gcra({ limit: 1, window: '2s' })
const pace = gcra({ limit: 7, window: 1009 })
const meter = leakyBucket({ capacity: 3, leak: 1, every: 1000 })
const window = fixedWindow({ limit: 8, window: 3000 })
const queue = leakyQueue({ leak: 1, every: '500ms', maxDelay: 1000 })

const ofDay: Stage = { policy: day, meaning: calendarWindowMeaning(day) }
const ofClock: Stage = { policy: onTheClock, meaning: fixedWindowMeaning(onTheClock) }
const ofNothing: Stage = { policy: nothing, meaning: fixedWindowMeaning(nothing) }
const ofFirst: Stage = { policy: first, meaning: fixedWindowMeaning(first) }
const ofSliding: Stage = { policy: sliding, meaning: slidingWindowMeaning(sliding) }
const ofWeighted: Stage = { policy: weighted, meaning: slidingWindowMeaning(weighted) }
const ofOne: Stage = { policy: one, meaning: gcraMeaning(one) }
const ofPace: Stage = { policy: pace, meaning: gcraMeaning(pace) }
const ofMeter: Stage = { policy: meter, meaning: leakyBucketMeaning(meter) }
const ofWindow: Stage = { policy: window, meaning: fixedWindowMeaning(window) }
const ofQueue: Stage = { policy: queue, meaning: leakyQueueMeaning(queue) }

/**
 * One window of the clock can hold at most the free units and those of `then`: twice its burst, because it restarts when a request
 * takes the last free unit, and its rate.
 */
export const stages: readonly Sample[] = [
  sampleOfStages(ofDay, ofOne, 86_400_000, 30 + 2 + 43_200),
  sampleOfStages(ofClock, ofPace, 10_000, 3 + 2 * 7 + 69),
  sampleOfStages(ofClock, ofMeter, 10_000, 3 + 2 * 3 + 9),
  sampleOfStages(ofNothing, ofPace, 10_000, 7 + 69),
  sampleOfStages(ofFirst, ofOne, 60_000, 2 * 4 + 2 * 2 + 30),
  // Each unit of a sliding window may be the last free unit: eight in a second of `sliding`, three in each second of `weighted`.
  sampleOfStages(ofSliding, ofWindow, 1000, 8 + 10 * 8),
  sampleOfStages(ofWeighted, ofSliding, 10_000, 33 + (10 + 34) * 8),
  sampleOfStages(ofClock, ofQueue, 10_000, Infinity),
]

function sampleOfStages(free: Stage, then: Stage, windowMs: number, most: number): Sample {
  const policy = staged({ free: free.policy, then: then.policy })
  return sampleOf<StagedPolicy>(policy, {
    quota: () => Math.max(free.meaning.quota, then.meaning.quota),
    windowMs: () => windowMs,
    meaning: () => stagedMeaning(free.meaning, then.meaning),
    excess: (_policy, admissions) => unitsPerClockWindow(admissions, windowMs, 0) - most,
  })
}
