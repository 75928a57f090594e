import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import { playgroundFrame } from './playground-frame.js'
import './style.css'

export default {
  extends: DefaultTheme,
  // The home page has a program beside its introduction (home.mjs).
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () =>
        h('div', { class: 'vp-doc programs', innerHTML: useData().frontmatter.value.programs }),
    }),
  enhanceApp({ app }) {
    app.component('playground', playgroundFrame)
  },
}
