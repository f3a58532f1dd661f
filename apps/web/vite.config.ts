import { defineConfig, type Plugin } from 'vite';

/** The pages of the store; `npm start` builds them when they are older than their sources. */
const PAGES = ['check', 'account', 'moderation', 'admin'];

/** The script of the first requests, which runs before all others: each page but the one that may send none has it. */
const EARLY = 'early';

/** The pages are written for React, and drawn by Preact, which has a fifth of its size. */
export const DRAWN_BY = { react: 'preact/compat', 'react-dom': 'preact/compat' };

// Each script costs its headers, half a kilobyte, and a turn on a slow connection: what every view of a page needs is in one.

/** Of all pages, with that which opens untrusted bundles and may send no request. */
const BASE =
  /\/(?:preact|packages\/(?:text|contracts)|packages\/ui\/src\/(?!change-list|file-drop)|packages\/ui\/static\/|packages\/permissions\/src\/(?:seal|wording)\.ts|web\/src\/extensions\/store-link|web\/src\/(?:style|check\/check)\.css)|rolldown|vite\/preload/;

/** Of the pages of a signed-in user, and of none else. */
const SIGNED_IN =
  /\/@tanstack\/|web\/src\/(?:main\.tsx|address\.ts|(?:account\/account|dashboard\/dashboard|conversation\/conversation|admin\/admin|moderation\/moderation|moderation\/review\/review|extensions\/ratings\/(?:reviews|flagged))\.css|dashboard\/(?:parts|use-live)|account\/(?:api|use-store|parts|proof-dialog|acts|passkeys|slug)\.|extensions\/(?:part|ratings\/install-id)\.|moderation\/version-path\.)/;

/** Of the inbox, which reads the cases of all kinds. */
const MODERATION =
  /web\/src\/(?:moderation\/(?:words|use-queue|cases|version-cases|badges|who|keys|inbox|page)\.|extensions\/[^/]+\/cases\.ts)/;

const earlyTag = (): Plugin => ({
  name: 'early-tag',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { path, bundle = {} }) {
      const script = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === EARLY);
      if (path === '/check.html' || script === undefined) return [];
      const attrs = { type: 'module', async: true, fetchpriority: 'high', crossorigin: true };
      return [{ tag: 'script', attrs: { ...attrs, src: `/${script.fileName}` }, injectTo: 'head-prepend' }];
    },
  },
});

export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  worker: { format: 'es' },
  plugins: [earlyTag()],
  resolve: { alias: DRAWN_BY },
  build: {
    target: 'es2022',
    // Pages that inline files would need a content security policy that allows inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" matters only for server-rendered React; these pages run in the browser.
      onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
      input: Object.fromEntries([
        ...PAGES.map((page) => [page, `${import.meta.dirname}/${page}.html`]),
        [EARLY, `${import.meta.dirname}/src/early.ts`],
      ]),
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: EARLY,
              test: /\/(?:src\/early|src\/first-reads|extensions\/has|contracts\/src\/client)\.ts$/,
              priority: 2,
            },
            { name: 'base', test: BASE, priority: 1 },
            { name: 'signed-in', test: SIGNED_IN },
            { name: 'moderation', test: MODERATION },
          ],
        },
      },
    },
  },
});
