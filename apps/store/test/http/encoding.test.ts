import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, encodingFor } from '../../src/http/encoding.ts';

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
