import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../../src/features/publishers/apps/install-chart.ts';
import { APP, openRatedStore } from '../../../support/rated-store.ts';
import { bodyOf } from '../../../support/test-store.ts';

const CHART = `/api/publishers/example/apps/${APP}/installs`;
const DAY_MS = 24 * 3_600_000;

describe('the chart of installs', () => {
  it('contains every day, with each version that was downloaded', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    await store.install('ben');
    store.advance(2 * DAY_MS);
    await store.publishVersion('1.10.0');
    await store.install('anna', '1.10.0');
    await store.install('carl', '1.10.0');
    await store.install('dora');
    await store.writeInstalls();
    const chart = await bodyOf(store.as('olga', 'GET', `${CHART}?from=2026-02-28`));
    expect(chart).toEqual({
      httpStatus: 200,
      appId: APP,
      installs: 4,
      from: '2026-02-28',
      to: '2026-03-03',
      versions: ['1.10.0', '1.0.0'],
      days: [
        { day: '2026-02-28', installs: 0, updates: 0, versions: [] },
        {
          day: '2026-03-01',
          installs: 2,
          updates: 0,
          versions: [{ version: '1.0.0', installs: 2, updates: 0 }],
        },
        { day: '2026-03-02', installs: 0, updates: 0, versions: [] },
        {
          day: '2026-03-03',
          installs: 2,
          updates: 1,
          versions: [
            { version: '1.0.0', installs: 1, updates: 0 },
            { version: '1.10.0', installs: 1, updates: 1 },
          ],
        },
      ],
    });
  });

  it('covers the 30 days up to today by default', async () => {
    const store = await openRatedStore();
    const { days, from, to } = await bodyOf(store.as('olga', 'GET', CHART));
    expect([days.length, from, to]).toEqual([30, '2026-01-31', '2026-03-01']);
  });

  it('is refused for an app of another publisher', async () => {
    const store = await openRatedStore();
    await store.publisherToken('other');
    await store.signedIn('oscar', { membership: { other: 'owner' } });
    for (const path of [CHART, `/api/publishers/other/apps/${APP}/installs`]) {
      expect(await bodyOf(store.as('oscar', 'GET', path))).toMatchObject({ code: 'not_found' });
    }
  });

  it('refuses invalid dates, and a range that is reversed or too long', async () => {
    const store = await openRatedStore();
    for (const query of [
      'from=2026-03-02&to=2026-03-01',
      'from=2025-01-01&to=2026-03-01',
      'from=0001-01-01',
      'to=2026-02-30',
      'from=yesterday',
    ]) {
      const answer = await bodyOf(store.as('olga', 'GET', `${CHART}?${query}`));
      expect(answer, query).toMatchObject({ httpStatus: 400, issues: [{ level: 'error' }] });
    }
  });
});

it('daysOf includes leap days, and allows at most 366 days', () => {
  const now = new Date('2028-03-01T23:59:59.999Z');
  expect(daysOf({ from: '2028-02-28' }, now)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  expect(daysOf({ from: '2027-03-02' }, now)).toHaveLength(366);
  expect(() => daysOf({ from: '2027-03-01' }, now)).toThrow('malformed');
  expect(daysOf({ from: '2028-03-01', to: '2028-03-01' }, now)).toEqual(['2028-03-01']);
});
