import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineAsyncComponent, h } from 'vue'
import Home from '../../home/Home.vue'
import './style.css'

// What is shown where a part of the page itself does not load.
const NotLoaded = {
  render: () => h('div', { class: 'not-loaded', role: 'alert' }, [
    'The playground did not load. ',
    h('button', { type: 'button', onClick: () => location.reload() }, 'Try again'),
  ]),
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Home', Home)
    app.component('Playground', defineAsyncComponent({ loader: () => import('../../playground/Playground.vue'), errorComponent: NotLoaded }))
  },
}
