import type { CatalogEntry } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { matcherOf, searchRow } from '../../../src/extensions/storefront/search-row.ts';

const app = (says: Partial<CatalogEntry>) =>
  ({
    appId: 'com.example.board',
    name: 'Boards',
    tagline: 'Keeps lists.',
    description: 'Keeps lists.',
    publisher: { slug: 'example', name: 'Example', verified: false, verifiedHost: '', website: '' },
    categories: ['productivity'],
    iconUrl: 'https://store.test/i.png',
    tools: [{ id: 'add', name: 'Add card', description: 'Pins a picture.' }],
    rating: { average: 0, count: 0 },
    installs: 0,
    ...{ accent: '', publishedAt: '2026-11-03T10:00:00.000Z', grants: [], domains: [], accounts: [] },
    ...says,
  }) as unknown as CatalogEntry;

const row = (q: string, says: Partial<CatalogEntry> = {}) => String(searchRow(app(says), matcherOf(q)));
const why = (html: string) => /<p class="why">(.*?)<\/p>/s.exec(html)?.[1];

describe('a result of a search', () => {
  it.each([
    ['board', '<mark>Boards</mark>'],
    ['bo', '<mark>Boards</mark>'],
    ['baords', '<mark>Boards</mark>'],
    ['my board app', '<mark>Boards</mark>'],
  ])('marks the name for %j', (q, name) => {
    expect(row(q)).toContain(`>${name}</a>`);
  });

  it.each([
    ['list', 'Keeps <mark>lists</mark>.'],
    ['photos', 'Tools: Add card: Pins a <mark>picture</mark>.'],
    ['productivity', '<mark>Productivity</mark>: Keeps lists.'],
    ['boards', 'Keeps lists.'],
  ])('says why it matches %j', (q, reason) => {
    expect(why(row(q))).toBe(reason);
  });

  it('shows the id when only that matches', () => {
    const html = row('org.quay', { appId: 'org.quay.x' });
    expect(why(html)).toBe('Keeps lists. (<mark>org</mark>.<mark>quay</mark>.x)');
  });

  it('shows the part of a long description that matches', () => {
    const description = `${'Some words. '.repeat(40)}Crops photographs. ${'Other words. '.repeat(40)}`;
    const shown = why(row('crop', { description })) ?? '';
    expect(shown).toContain('<mark>Crops</mark> photographs.');
    expect(shown.startsWith('… ') && shown.endsWith(' …')).toBe(true);
    expect(shown.length).toBeLessThan(250);
  });

  it('escapes texts and queries', () => {
    const html = row('<img src=x>', { name: '<img src=x onerror=alert(1)>', description: '<b>img</b>' });
    expect(html).not.toMatch(/<img src=x|<b>/);
  });
});
