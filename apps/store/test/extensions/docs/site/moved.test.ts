import { describe, expect, it } from 'vitest';
import { MOVED } from '../../../../src/extensions/docs/site/moved.ts';
import { readDocs } from '../../../../src/extensions/docs/site/read-docs.ts';
import { openTestStore } from '../../../support/test-store.ts';

describe('the old addresses of documents', () => {
  it('lead to a heading of a document, and hide none', async () => {
    const { pages } = await readDocs();
    expect(Object.keys(MOVED).filter((name) => pages.has(name))).toEqual([]);
    for (const target of Object.values(MOVED)) {
      const [name = '', anchor] = target.split('#');
      const ids = pages.get(name)?.sections.map(({ id }) => id) ?? [];
      expect([target, anchor === undefined ? ids.length > 0 : ids.includes(anchor)]).toEqual([target, true]);
    }
  });

  it('redirect', async () => {
    const store = await openTestStore();
    for (const [name, target] of Object.entries(MOVED)) {
      const answer = await store.call('GET', `/docs/${name}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([307, `/docs/${target}`]);
    }
  });
});
