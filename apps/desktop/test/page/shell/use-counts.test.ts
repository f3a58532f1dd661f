import { describe, expect, it } from 'vitest';
import { countsOf } from '../../../page/src/shell/use-counts.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';

const cardOf = (card: { kind: string; widened?: object | null }, chat?: string) =>
  ({ id: 'k', asker: 'desktop', card, ...(chat !== undefined && { chat }) }) as unknown as WaitingCard;

const YANKED = { withdrawn: { reason: 'It lost notes.', at: '2026-03-01T09:00:00.000Z', comesBack: true } };

describe('the counts of waiting items', () => {
  it('are left out when they are zero', () => {
    expect(countsOf([], [{ withdrawn: null }])).toEqual({});
  });

  it('include cards of conversations, updates with new permissions, and yanked apps', () => {
    const cards = [
      cardOf({ kind: 'approval' }, 'c1'),
      cardOf({ kind: 'consent', widened: null }),
      cardOf({ kind: 'consent', widened: {} }),
    ];
    const counts = countsOf(cards, [YANKED, { withdrawn: null }, YANKED]);
    expect(counts).toMatchObject({
      chat: { count: 1 },
      updates: { count: 1 },
      apps: { count: 2, look: 'bad' },
    });
    expect(Object.keys(counts)).toEqual(['chat', 'updates', 'apps']);
  });
});
