import type { Scene } from './row.js'
import { scenesByAnswer } from './scenes-by-answer.js'
import { scenesByCaller } from './scenes-by-caller.js'

/** The requests of the table, and the answers that http.md wants. */
export const scenes: readonly Scene[] = [...scenesByAnswer, ...scenesByCaller]
