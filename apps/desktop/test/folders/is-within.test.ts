import { expect, it } from 'vitest';
import { isWithin } from '../../src/folders/is-within.ts';

it.each([
  ['/home/anna/work', '/home/anna/work', true],
  ['/home/anna/work/a.png', '/home/anna/work', true],
  ['/home/anna/work/..hidden', '/home/anna/work', true],
  ['/anything', '/', true],
  ['/home/anna/workshop', '/home/anna/work', false],
  ['/home/anna', '/home/anna/work', false],
  ['/home/anna/work/../secret', '/home/anna/work', false],
])('%s in %s: %s', (path, folder, is) => {
  expect(isWithin(path, folder)).toBe(is);
});
