import { expect, it } from 'vitest';
import { RULES } from '../../src/rules/index.ts';
import { validateBundle } from '../../src/validate.ts';

const DISGUISED = RULES.find(({ code }) => code === 'bundle.obfuscated')?.example.broken as {
  files: Record<string, string>;
};

it('skips the scripts that plainScripts has, and adds only those without findings', () => {
  const asked: string[] = [];
  const plain: string[] = [];
  const plainScripts = {
    has: (path: string) => {
      asked.push(path);
      return path === 'ui/known.js';
    },
    add: (path: string) => void plain.push(path),
  };
  const disguised = Buffer.from(Object.values(DISGUISED.files)[0] ?? '');
  const entries = new Map([
    ['ui/known.js', disguised],
    ['ui/new.js', Buffer.from('start();')],
    ['ui/odd.js', disguised],
    ['assets/photo.jpg', Buffer.from([0xff, 0xd8, 0xff])],
  ]);
  const { issues } = validateBundle(entries, { mode: 'store', plainScripts });
  expect(issues.filter(({ code }) => code === 'bundle.obfuscated').map(({ path }) => path)).toEqual([
    'ui/odd.js',
  ]);
  expect(asked).toEqual(['ui/known.js', 'ui/new.js', 'ui/odd.js']);
  expect(plain).toEqual(['ui/new.js']);
});
