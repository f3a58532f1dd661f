import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const THEME = join(import.meta.dirname, '../../../packages/ui/static/theme.js');

/** The script of the store's pages that sets the chosen theme before the first paint, as a file of its own. */
const themeScript: Plugin = {
  name: 'svc-theme',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'theme.js', source: readFileSync(THEME) });
  },
  transformIndexHtml: () => [{ tag: 'script', attrs: { src: '/theme.js' }, injectTo: 'head-prepend' }],
};

/** The page of the desktop, as its server serves it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [themeScript],
  // The worker that reads PDFs loads its library as a script of its own.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // A page that inlines files would need a content security policy that allows inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is for servers that render React; here all of it runs in the browser.
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
    },
  },
});
