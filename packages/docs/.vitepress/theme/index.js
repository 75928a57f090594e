import DefaultTheme from 'vitepress/theme'
import { playgroundFrame } from './playground-frame.js'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('playground', playgroundFrame)
  },
}
