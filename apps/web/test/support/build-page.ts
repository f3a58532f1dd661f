import { build, type Rolldown } from 'vite';

/**
 * The script and the style of a page of a test, as the pages of the store are built.
 * @param entry path of its source
 */
export async function buildPage(entry: string): Promise<{ script: string; style: string }> {
  const built = (await build({
    configFile: false,
    root: `${import.meta.dirname}/../..`,
    logLevel: 'error',
    // A library is left its environment, which a page does not have; JSX is for development where tests run.
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
