import { describe, expect, it } from 'vitest';
import { encodePage } from '../../src/http/encoded-page.ts';

const page = () => encodePage(Buffer.from('{"apps":[]}'.repeat(100)), { 'Content-Type': 'application/json' });

describe('a page in several encodings', () => {
  it('has a different strong ETag in each, and Vary: Accept-Encoding', async () => {
    const forms = await Promise.all((['br', 'gzip', 'identity'] as const).map((form) => page().in(form)));
    const tags = forms.map(({ headers }) => headers.ETag);
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    expect(forms.map(({ headers }) => headers.Vary)).toEqual(Array(3).fill('Accept-Encoding'));
    expect(forms.map(({ headers }) => headers['Content-Encoding'])).toEqual(['br', 'gzip', undefined]);
  });

  it('is encoded once for concurrent requests, and then cached', async () => {
    const one = page();
    expect(one.ready('br')).toBeNull();
    const all = await Promise.all(Array.from({ length: 20 }, () => one.in('br')));
    expect(new Set(all).size).toBe(1);
    expect(one.ready('br')).toBe(all[0]);
    expect(one.ready('gzip')).toBeNull();
  });

  it('has other ETags for other content', async () => {
    const other = encodePage(Buffer.from('{}'), {});
    expect((await other.in('gzip')).headers.ETag).not.toBe((await page().in('gzip')).headers.ETag);
  });

  it('counts at least the bytes of all encodings', async () => {
    const one = page();
    const forms = await Promise.all((['br', 'gzip', 'identity'] as const).map((form) => one.in(form)));
    const held = forms.reduce((sum, { body }) => sum + body.byteLength, 0);
    expect(one.bytes).toBeGreaterThanOrEqual(held);
  });
});
