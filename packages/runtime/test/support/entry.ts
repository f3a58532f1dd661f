import { readFile } from 'node:fs/promises';

/** The names that an entry of the package exports, read from its source, types after values. */
export async function namesOf(
  entry: 'index' | 'models' | 'parts',
): Promise<{ values: string[]; types: string[] }> {
  const source = await readFile(new URL(`../../src/${entry}.ts`, import.meta.url), 'utf8');
  const code = source
    .replace("import './platform/require-node.ts';\n", '')
    .replaceAll(/^\/\/.*$|\/\*[\s\S]*?\*\//gm, '');
  const values: string[] = [];
  const types: string[] = [];
  const rest = code.replaceAll(/export (type )?\{([^}]*)\} from '[^']+';/g, (_all, isType, list: string) => {
    for (const one of list.split(',').map((item) => item.trim())) {
      const name = one.split(' ').at(-1) ?? '';
      if (name !== '') (isType || one.startsWith('type ') ? types : values).push(name);
    }
    return '';
  });
  // Everything is exported by lists of names, so that no name becomes public by accident.
  if (rest.trim() !== '') throw new Error(`src/${entry}.ts holds more than lists of exports: ${rest.trim()}`);
  return { values: values.sort(), types: types.sort() };
}
