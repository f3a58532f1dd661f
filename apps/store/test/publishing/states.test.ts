import { VERSION_STATES } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { statesBefore, TRANSITIONS } from '../../src/publishing/states.ts';

describe('version states', () => {
  it('publish only what was approved, and approve only what was checked or reviewed', () => {
    expect(statesBefore('published')).toEqual(['approved']);
    expect(statesBefore('approved')).toEqual(['checking', 'in_review']);
    expect(statesBefore('yanked')).toEqual(['published']);
    expect(statesBefore('submitted')).toEqual([]);
  });

  it('can all be reached', () => {
    const reached = new Set<string>(['submitted', ...Object.values(TRANSITIONS).flat()]);
    expect([...reached].sort()).toEqual([...VERSION_STATES].sort());
  });
});
