import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';

/** Modules with which a test starts a program: another process, or a browser. */
const STARTS = new Set(['node:child_process', 'node:cluster', 'playwright-core']);

/** Test code: tests, what supports them, and the testkit. What the product starts for itself does not count. */
const TEST_CODE = /^(?:testkit\/|tools\/bench\/|(?:.*\/)?test\/)/;

const STATEMENT = /^(?:import|export) /m;
const IMPORT = /^(?:import|export) (?!type )([^']*)'([^']+)'/;
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g;

/** The imports of a module, as the imported names and the specifier. */
function importsOf(text: string): [names: string, specifier: string][] {
  const fixed = text.split(';').flatMap((part): [string, string][] => {
    const [, names = '', specifier] = IMPORT.exec(part.slice(Math.max(0, part.search(STATEMENT)))) ?? [];
    return specifier === undefined ? [] : [[names, specifier]];
  });
  const dynamic = [...text.matchAll(DYNAMIC_IMPORT)].map(([, specifier = '']): [string, string] => [
    '',
    specifier,
  ]);
  return [...fixed, ...dynamic];
}

const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** Where each name of the testkit is defined: a test that imports one of them does not need the others. */
function testkitNames(root: string): Map<string, string> {
  const files = globSync('testkit/src/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(EXPORTED)].map(([, name = '']) => [name, file]),
    ),
  );
}

/**
 * Tells which test files start a program or a browser, by the modules that they and their supporting modules import.
 * @param root the folder of the project
 * @returns a function of the path of a file, relative to the root
 */
export function programStarters(root: string): (file: string) => boolean {
  const testkit = testkitNames(root);
  const known = new Map<string, boolean>();

  function targetsOf(file: string, names: string, specifier: string): string[] {
    if (specifier === '@svc/testkit') {
      const imported = names.matchAll(/\b(?!type\b|as\b)(\w+)\b/g);
      return [...imported].flatMap(([, name = '']) => testkit.get(name) ?? []);
    }
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return [];
    const target = join(file, '..', specifier);
    return TEST_CODE.test(target) && existsSync(join(root, target)) ? [target] : [];
  }

  return function startsProgram(file: string): boolean {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const starts = importsOf(readFileSync(join(root, file), 'utf8')).some(
      ([names, specifier]) => STARTS.has(specifier) || targetsOf(file, names, specifier).some(startsProgram),
    );
    known.set(file, starts);
    return starts;
  };
}
