import { expect, it } from 'vitest';
import { plugin } from '../../../../page/src/chat/rich/code.ts';

it('compiles no grammar again for the next block', () => {
  expect(plugin()).toBe(plugin());
});
