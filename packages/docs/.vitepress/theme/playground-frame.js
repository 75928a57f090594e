import { useData, withBase } from 'vitepress'
import { h, onMounted, ref, watch } from 'vue'

/** The layout of the playground's page: its application, in a frame because its style is its own, light or dark as the site is. */
export const playgroundFrame = {
  setup() {
    const { isDark } = useData()
    const frame = ref()

    function paint() {
      const page = frame.value?.contentDocument?.documentElement
      if (page) page.style.colorScheme = isDark.value ? 'dark' : 'light'
    }
    onMounted(paint)
    watch(isDark, paint)

    return () =>
      h('iframe', {
        ref: frame,
        class: 'playground-frame',
        src: withBase('/playground/index.html'),
        title: 'Playground',
        onLoad: paint,
      })
  },
}
