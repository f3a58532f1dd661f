import { expect, it } from 'vitest';
import { operationText, param, text } from '../src/wording.ts';

it.each([
  [null, 'none: the file as it is'],
  [{ op: 'resize', height: 512, width: '512' }, 'resize, height 512, width 512'],
  [{ height: 512 }, 'null, height 512'],
  ['grayscale', 'grayscale'],
  [['a', 'b'], '["a","b"]'],
  [7, '7'],
])('the media operation %j, also one of a newer store, is shown as %s', (operation, shown) => {
  expect(operationText(operation)).toEqual([shown]);
});

it('a value that is missing has a word of its own', () => {
  expect([null, 'x', 7].map(text('none'))).toEqual([['none'], ['x'], ['7']]);
  expect(param(['run', 'path'])).toBe('run.path');
});
