import type { Section } from './section.js'
import { added } from './sections/added.js'
import { algorithms } from './sections/algorithms.js'
import { cold } from './sections/cold.js'
import { databases } from './sections/databases.js'
import { footprint } from './sections/footprint.js'
import { http } from './sections/http.js'
import { memory } from './sections/memory.js'
import { redis } from './sections/redis.js'
import { rules } from './sections/rules.js'

/** All sections, in the order in which they run. */
export const sections: readonly Section[] = [
  cold,
  memory,
  footprint,
  redis,
  databases,
  http,
  added,
  algorithms,
  rules,
]
