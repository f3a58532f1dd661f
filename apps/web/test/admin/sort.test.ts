import { describe, expect, it } from 'vitest';
import { sortingOf, toggleSort } from '../../src/admin/sort.ts';

const OWN = { sort: 'created', direction: 'desc' } as const;

describe('the order of a table', () => {
  it.each([
    [{}, OWN],
    [{ sort: '', direction: '' }, OWN],
    [{ sort: 'created' }, OWN],
    [{ sort: 'name' }, { sort: 'name', direction: 'asc' }],
    [
      { sort: 'name', direction: 'desc' },
      { sort: 'name', direction: 'desc' },
    ],
    [{ direction: 'asc' }, { sort: 'created', direction: 'asc' }],
    [{ direction: 'sideways' }, OWN],
  ])('is read from %j', (asked, order) => {
    expect(sortingOf(asked, OWN)).toEqual(order);
  });

  it('reverses for the same column, and starts ascending for another', () => {
    expect(toggleSort(OWN, 'created')).toEqual({ sort: 'created', direction: 'asc' });
    expect(toggleSort({ sort: 'created', direction: 'asc' }, 'created').direction).toBe('desc');
    expect(toggleSort(OWN, 'name')).toEqual({ sort: 'name', direction: 'asc' });
  });
});
