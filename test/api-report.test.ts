import { expect, it } from 'vitest';
import { surfaceOf } from '../tools/gen/api-report.ts';

const FILES = new Map([
  [
    'src/index.d.ts',
    "export { open, type Options as Settings } from './open.ts';\nexport * from './more.ts';\n",
  ],
  [
    'src/open.d.ts',
    `import { make } from './inner/make.ts';
import type { Outside } from 'elsewhere';
/** A comment. */
export type Options = { outside: Outside; made: ReturnType<typeof make>; other: import('./more.ts').Other };
export declare function open(options: Options): Hidden;
export declare function open(): void;
interface Hidden { a: 1 }
export type Unused = { never: true };
`,
  ],
  [
    'src/inner/make.d.ts',
    "export declare const make: () => { b: 2 };\nexport type { Outside } from 'elsewhere';\n",
  ],
  ['src/more.d.ts', 'export interface Other { c: 3 }\nexport type { Far } from "elsewhere";\n'],
]);

it('names what entries export, and has every declaration that it means, without comments', () => {
  const report = surfaceOf(FILES, new Map([['pkg', 'src/index.d.ts']]));
  const [, names = ''] = /# pkg\n\n([^#]*)\n\n/.exec(report) ?? [];
  expect(names.split('\n')).toEqual([
    'Far (elsewhere)',
    'Other (src/more.d.ts)',
    'Settings (src/open.d.ts)',
    'open (src/open.d.ts)',
  ]);
  // What is not exported, and what only a type of a value holds, is part of the surface too.
  for (const part of ['interface Hidden', 'b: 2', 'c: 3', 'open(): void', 'options: Options'])
    expect(report).toContain(part);
  expect(report).not.toMatch(/comment|Unused|never/);
});

it('changes with a type that no entry names', () => {
  const changed = new Map(FILES).set('src/inner/make.d.ts', 'export declare const make: () => { b: 3 };');
  const entries = new Map([['pkg', 'src/index.d.ts']]);
  expect(surfaceOf(changed, entries)).not.toBe(surfaceOf(FILES, entries));
});
