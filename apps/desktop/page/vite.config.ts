import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/**
 * Draws diagrams, in a frame without network: the library and its start as one text that a document takes as a script. A parser of HTML
 * ends a script at `</script`, and reads it otherwise behind `<!--` (HTML, "Restrictions for contents of script elements").
 */
const diagramScript: Plugin = {
  name: 'svc-diagram-script',
  generateBundle() {
    const files = [
      fileURLToPath(import.meta.resolve('@mermaid-js/tiny')),
      join(import.meta.dirname, 'static/draw-diagram.js'),
    ];
    const source = files
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
      .replaceAll('\r', '')
      .replace(/<(?=!--|\/?script)/gi, '\\x3c');
    this.emitFile({ type: 'asset', fileName: 'frames/diagram.txt', source });
  },
};

/** Libraries whose builds for browsers need a document, which a worker has not. */
const OF_WORKERS = ['decode-named-character-reference', 'hast-util-from-html-isomorphic'];

const withoutDocument: Plugin = {
  name: 'svc-worker-modules',
  enforce: 'pre',
  resolveId: (name) => (OF_WORKERS.includes(name) ? fileURLToPath(import.meta.resolve(name)) : null),
};

/** The page of the desktop, as its server serves it. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [themeScript, diagramScript],
  // Workers load their libraries as scripts of their own.
  worker: { format: 'es', plugins: () => [withoutDocument] },
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
