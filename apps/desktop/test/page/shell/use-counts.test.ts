import { describe, expect, it } from 'vitest';
import { countsOf } from '../../../page/src/shell/use-counts.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';

const cardOf = (card: { kind: string; widened?: object | null; app?: { appId: string } }, chat?: string) =>
  ({ id: 'k', asker: 'desktop', card, ...(chat !== undefined && { chat }) }) as unknown as WaitingCard;

const YANKED = { yanked: { reason: 'It lost notes.', at: '2026-03-01T09:00:00.000Z', comesBack: true } };

describe('the counts of waiting items', () => {
  it('are left out when they are zero', () => {
    expect(countsOf([], [{ yanked: null }])).toEqual({});
  });

  it('include cards of conversations, updates with new permissions, and yanked apps', () => {
    const cards = [
      cardOf({ kind: 'approval' }, 'c1'),
      cardOf({ kind: 'consent', widened: null }),
      cardOf({ kind: 'consent', widened: {}, app: { appId: 'com.example.notes' } }),
    ];
    const counts = countsOf(cards, [YANKED, { yanked: null }, YANKED]);
    expect(counts).toMatchObject({
      chat: { count: 1 },
      updates: { count: 1 },
      apps: { count: 2, look: 'bad' },
    });
    expect(Object.keys(counts)).toEqual(['chat', 'updates', 'apps']);
  });

  it('include each update that waits for an agreement once, with or without its card', () => {
    const cards = [cardOf({ kind: 'consent', widened: {}, app: { appId: 'com.example.notes' } })];
    const waiting = [
      { appId: 'com.example.notes', why: 'asks' },
      { appId: 'com.example.maps', why: 'asks' },
      { appId: 'com.example.busy', why: 'in-use' },
    ] as const;
    expect(countsOf(cards, [], waiting)).toMatchObject({ updates: { count: 2 } });
  });
});
