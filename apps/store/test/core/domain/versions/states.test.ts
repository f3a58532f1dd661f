import { VERSION_STATES } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { TRANSITIONS } from '../../../../src/core/domain/versions/states.ts';

const before = (to: string): string[] =>
  Object.entries(TRANSITIONS)
    .filter(([, next]) => (next as readonly string[]).includes(to))
    .map(([from]) => from);

describe('version states', () => {
  it('lead to published only from approved or yanked, and to approved only from checking or in_review', () => {
    expect(before('published')).toEqual(['approved', 'yanked']);
    expect(before('approved')).toEqual(['checking', 'in_review']);
    expect(before('yanked')).toEqual(['published']);
    expect(before('submitted')).toEqual([]);
  });

  it('can all be reached', () => {
    const reached = new Set<string>(['submitted', ...Object.values(TRANSITIONS).flat()]);
    expect([...reached].sort()).toEqual([...VERSION_STATES].sort());
  });
});
