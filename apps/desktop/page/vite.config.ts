import { defineConfig } from 'vite';

/** The page of the desktop, as its server serves it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
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
