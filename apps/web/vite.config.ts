import { defineConfig } from 'vite';

/** The pages of the store; `npm start` builds them when they are older than their sources. */
const PAGES = ['check', 'dashboard'];

export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // Pages that inline files would need a content security policy that allows inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" matters only for server-rendered React; these pages run in the browser.
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
      input: PAGES.map((page) => `${import.meta.dirname}/${page}.html`),
    },
  },
});
