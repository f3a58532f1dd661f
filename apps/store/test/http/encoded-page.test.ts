import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, encodePage, encodingFor } from '../../src/http/encoded-page.ts';

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

describe('the content encoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.000, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['identity;q=1, br;q=0.5', 'identity'],
    ['identity, br', 'br'],
    ['identity;q=0', 'identity'],
    ['zstd', 'identity'],
    ['gzip ; q=1 , br ; q=0.1', 'gzip'],
    ['br;q=2, gzip', 'gzip'],
    ['br;level=11', 'identity'],
  ])('for %j is %s', (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });

  it('is br, gzip or identity for any header', () => {
    const header = fc.string({
      unit: fc.constantFrom('br', 'gzip', '*', ';q=', '0', '1', '.', ',', ' ', 'x', '='),
    });
    fc.assert(
      fc.property(header, (accepted) => {
        expect(['br', 'gzip', 'identity']).toContain(encodingFor(accepted));
      }),
    );
  });

  it('decodes to the same bytes', async () => {
    const body = Buffer.from('some text '.repeat(1_000));
    const [br, gzip] = [await encode(body, 'br'), await encode(body, 'gzip')];
    expect(brotliDecompressSync(br).equals(body)).toBe(true);
    expect(gunzipSync(gzip).equals(body)).toBe(true);
    expect(Math.max(br.byteLength, gzip.byteLength)).toBeLessThan(body.byteLength / 2);
    expect(await encode(body, 'identity')).toBe(body);
  });
});
