import { expect, it } from 'vitest';
import { globalKeyOf } from '../../../page/src/shell/keys.ts';

const press = (key: string, held: Partial<Parameters<typeof globalKeyOf>[0]> = {}) =>
  globalKeyOf({ key, metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...held });

it.each([
  ['k', { ctrlKey: true }, 'find'],
  ['K', { metaKey: true }, 'find'],
  ['O', { ctrlKey: true, shiftKey: true }, 'newChat'],
  // Many keyboards need Shift for these characters.
  ['/', { ctrlKey: true }, 'model'],
  ['/', { ctrlKey: true, shiftKey: true }, 'model'],
  ['?', { metaKey: true, shiftKey: true }, 'help'],
  ['k', {}, null],
  ['o', { ctrlKey: true }, null],
  ['K', { ctrlKey: true, shiftKey: true }, null],
  // Ctrl and Alt together type characters on some keyboards.
  ['/', { ctrlKey: true, altKey: true }, null],
  ['Dead', { ctrlKey: true }, null],
] as const)('reads %s with %j as %s', (key, held, name) => {
  expect(press(key, held)).toBe(name);
});
