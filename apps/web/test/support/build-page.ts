import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { DRAWN_BY } from '../../vite.config.ts';

export type BuiltPage = { script: string; style: string };

/**
 * Builds the script and style of a test page, in the same way as the pages of the store.
 * @param entry path of its source
 */
export async function buildPage(entry: string): Promise<BuiltPage> {
  const built = (await build({
    configFile: false,
    root: `${import.meta.dirname}/../..`,
    logLevel: 'error',
    resolve: { alias: DRAWN_BY },
    // Library mode keeps `process.env`, which a page does not have; the JSX runtime is the development one in tests.
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'page' } },
  })) as Rolldown.RolldownOutput[];
  const output = built.flatMap((one) => one.output);
  const textOf = (ending: string) =>
    output
      .filter(({ fileName }) => fileName.endsWith(ending))
      .map((file) => String('code' in file ? file.code : file.source))
      .join('');
  return { script: textOf('.js'), style: textOf('.css') };
}

/**
 * Shows a built page in an empty one.
 * @param before script that runs before its own
 */
export async function showBuilt(page: Page, { script, style }: BuiltPage, title: string, before = '') {
  await page.setContent(`<!doctype html><html lang="en"><title>${title}</title><div id="page"></div>`);
  await page.addStyleTag({ content: style });
  await page.addScriptTag({ content: `${before};${script}` });
}
