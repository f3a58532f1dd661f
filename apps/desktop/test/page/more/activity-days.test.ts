import { describe, expect, it } from 'vitest';
import { daysOf, withNewest } from '../../../page/src/more/activity-days.ts';
import type { ActivityEntry } from '../../../src/wire/views.ts';

const NOW = new Date(2026, 2, 29, 0, 30);
const APP = 'com.example.notes';

const entry = (id: number, at = NOW, appId = APP): ActivityEntry => ({
  ...{
    id,
    appId,
    kind: 'tool',
    name: 'add',
    asker: null,
    chat: null,
    ms: 1,
    outcome: 'answered',
    detail: '',
  },
  at: at.toISOString(),
});
const page = (ids: number[], more: boolean, apps = [APP]) => ({
  ...{ entries: ids.map((id) => entry(id)), more, apps, outcomes: [], askers: [] },
});
const idsOf = ({ entries }: { entries: readonly ActivityEntry[] }) => entries.map(({ id }) => id);

describe('activity by day', () => {
  it('groups entries by day in the local time zone', () => {
    const at = [
      NOW,
      new Date(2026, 2, 29),
      new Date(2026, 2, 28, 23, 59),
      new Date(2026, 2, 28),
      new Date(2026, 1, 3),
    ];
    const days = daysOf(
      at.map((one, i) => entry(9 - i, one)),
      NOW,
    );
    expect(days.map(({ label, entries }) => [label, idsOf({ entries })])).toEqual([
      ['Today', [9, 8]],
      ['Yesterday', [7, 6]],
      ['Feb 3, 2026', [5]],
    ]);
  });

  it('keeps older pages when new entries arrive', () => {
    const seen = { entries: [5, 4, 3, 2].map((id) => entry(id)), more: true };
    expect(idsOf(withNewest(seen, page([6, 5, 4], true)))).toEqual([6, 5, 4, 3, 2]);
    expect(withNewest(seen, page([6, 5, 4], true)).more).toBe(true);
  });

  it('drops deleted entries, and entries after a gap', () => {
    const seen = { entries: [entry(5), entry(4), entry(3, NOW, 'com.example.gone')], more: false };
    expect(idsOf(withNewest(seen, page([6, 5, 4], true)))).toEqual([6, 5, 4]);
    expect(idsOf(withNewest(seen, page([], false)))).toEqual([]);
    expect(idsOf(withNewest(seen, page([6], false)))).toEqual([6]);
    expect(withNewest(seen, page([20, 19], true))).toMatchObject({
      entries: [{ id: 20 }, { id: 19 }],
      more: true,
    });
  });
});
