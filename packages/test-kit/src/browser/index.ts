export { findChromium } from './find-chromium.js'
export { openWatchedPage } from './watched-page.js'
export type { WatchedPage } from './watched-page.js'
