import { describe, expect, it } from 'vitest';
import { promptOf } from '../../../page/src/chat/prompt-of.ts';

describe('prompts', () => {
  it('are what a user would write, for names with and without a verb', () => {
    expect(promptOf('Add a note', 'Notes')).toBe('Can you add a note for me?');
    expect(promptOf('Weather', 'Sky')).toBe('What can you do with Sky?');
  });
});
