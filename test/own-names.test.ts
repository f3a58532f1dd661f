import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

// `npx NAME` and `npm install NAME` fetch the package with that name from the public registry. This project does not own the name
// `svc` and the scope `@svc` there, so no text may recommend these commands: a store serves its own command line, at /cli.tgz.

/** Tools that a clone of this repository has in node_modules. */
const OWN_TOOLS = new Set(['changeset', 'vite', 'vitest', 'tsc', 'biome', 'knip', 'publint']);

const COMMANDS = [
  /\bnpx\s+(?:-\S+\s+)*(?<name>[^\s`'"<|)]+)/g,
  /\bnpm\s+(?:i|install|add)\s+(?:-\S+\s+)*(?<name>[^\s`'"<|)]+)/g,
];

/** Whether a name does not refer to a registry: a URL, a path, a placeholder, or a tool of this repository. */
const isOwn = (name: string): boolean =>
  /^(?:https?:\/\/|file:|\.{0,2}\/|\$\{|ADDRESS\/)/.test(name) || OWN_TOOLS.has(name);

const foreignNames = (text: string): string[] =>
  COMMANDS.flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(({ groups }) => /svc/i.test(groups?.name ?? '') && !isOwn(groups?.name ?? ''))
    .map(([command]) => command);

it('finds package names that this project does not own', () => {
  expect(foreignNames('Run `npx svc login`, npx --yes @svc/cli, or npm install --global svc-store.')).toEqual(
    ['npx svc', 'npx --yes @svc/cli,', 'npm install --global svc-store.'],
  );
  expect(foreignNames('npx https://svc.example.com/cli.tgz login; npx vitest run svc')).toEqual([]);
});

it('has no text that recommends a package name that this project does not own', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const found = files
    .filter(
      (file) => /\.(?:md|ts|tsx|js|mjs|json|ya?ml|html|sh)$/.test(file) && file !== 'test/own-names.test.ts',
    )
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return foreignNames(text).map((command) => `${file}: ${command}`);
    });
  expect(found).toEqual([]);
});
