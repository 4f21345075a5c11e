import { type EnhanceAppContext, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './site.css';

/** The recorded terminal on the first page: it says in ten seconds what gatectl does. */
const recording = () =>
  h('div', { class: 'recording', tabindex: 0, role: 'group', 'aria-label': 'Recording' }, [
    h('img', {
      src: withBase('/pictures/first-steps.svg'),
      alt: 'A terminal: a reader is checked, a page is purged and countries are ranked',
    }),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': recording }),
  enhanceApp({ router }: EnhanceAppContext) {
    router.onAfterRouteChanged = () => {
      if (typeof document === 'undefined') return;
      const content = document.getElementById('VPContent');
      if (content?.classList.contains('is-home')) content.setAttribute('role', 'main');
      else content?.removeAttribute('role');
    };
  },
};
