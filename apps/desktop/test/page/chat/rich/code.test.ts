import { expect, it } from 'vitest';
import { plugins } from '../../../../page/src/chat/rich/code.ts';

it('compiles no grammar again for the next block', () => {
  const [attach] = plugins.rehype;
  expect(attach?.()).toBe(attach?.());
});
