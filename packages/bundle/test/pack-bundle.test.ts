import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { LIMITS } from '@svc/contracts';
import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BundleEntries } from '../src/bundle-entries.ts';
import { packBundle, readBundle } from '../src/index.ts';
import { foldName } from '../src/read/check-names.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (value: string) => new TextEncoder().encode(value);

const SAMPLE = new Map([
  ['plugin.json', text('{"id":"sample","version":"1.0.0"}')],
  ['ui/index.html', text('<!doctype html><title>ünï</title>'.repeat(20))],
  ['assets/日本.svg', text('<svg/>')],
  ['assets/empty', new Uint8Array(0)],
]);

/** Changes only if `packBundle` writes other bytes, which changes the sha256 of every later bundle. */
const FROZEN = '0aae5338a9be29d611c83dbe16e1ac1bd9bd5534aed189e96ff744f85ea03035';

const segment = fc.stringMatching(/^[a-zA-Z0-9_ü日€😀-][a-zA-Z0-9_ü日€😀 -]{0,8}[a-z0-9]$/u);
const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

/** Bundles whose names the reader accepts: no path is both a file and a folder, and no folder has two spellings. */
const bundle = fc
  .uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 400 })), {
    minLength: 1,
    selector: ([path]) => path,
  })
  .map((pairs) => new Map(pairs))
  .filter((entries) => {
    const spellings = [...entries.keys()].flatMap((path) => {
      const parts = path.split('/');
      return parts.map(
        (_, depth) => `${parts.slice(0, depth + 1).join('/')}${depth + 1 < parts.length ? '/' : ''}`,
      );
    });
    const distinct = new Set(spellings);
    return new Set([...distinct].map((path) => foldName(path.replace(/\/$/, '')))).size === distinct.size;
  });

describe('packBundle', () => {
  test('writes a bundle that readBundle reads back', () => {
    fc.assert(
      fc.property(bundle, (entries) => {
        const reading = readBundle(packBundle(entries));
        if (!reading.ok) throw new Error(JSON.stringify(reading.issues));
        expect([...reading.entries]).toEqual([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
      { numRuns: runs(200) },
    );
  });

  test('does not depend on the order of the entries', () => {
    const reversed = new Map([...SAMPLE].reverse());
    expect(packBundle(reversed)).toEqual(packBundle(SAMPLE));
  });

  test('writes the same bytes as earlier versions', () => {
    expect(sha256(packBundle(SAMPLE))).toBe(FROZEN);
  });

  test('writes the same bytes in every time zone', async () => {
    const source = new URL('../src/index.ts', import.meta.url).href;
    const script = `
      import { createHash } from 'node:crypto';
      const { packBundle } = await import(${JSON.stringify(source)});
      const entries = new Map(JSON.parse(process.argv[1]).map(([name, text]) => [name, Buffer.from(text)]));
      process.stdout.write(createHash('sha256').update(packBundle(entries)).digest('hex'));`;
    const pairs = [...SAMPLE].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
    const inZone = async (TZ: string, order: string[][]) => {
      const args = ['--input-type=module', '-e', script, JSON.stringify(order)];
      return (await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ } })).stdout;
    };
    const [first = [], ...rest] = pairs;
    const sums = await Promise.all([
      inZone('Pacific/Kiritimati', pairs),
      inZone('America/Adak', [...rest, first]),
    ]);
    expect(sums).toEqual([FROZEN, FROZEN]);
  });

  test('sorts names by code unit, also names like numbers or object members', () => {
    const names = ['10', '9', '__proto__', 'B', 'a', 'constructor', '\ue000', '\u{1f600}'];
    const reading = readBundle(packBundle(new Map(names.map((path) => [path, text(path)]))));
    const sorted = ['10', '9', 'B', '__proto__', 'a', 'constructor', '\u{1f600}', '\ue000'];
    expect(reading.ok && [...reading.entries.keys()]).toEqual(sorted);
  });

  test('stores a file whose compression ratio would exceed the limit', () => {
    const zeros = Buffer.alloc(LIMITS.bundle.ratioFloorBytes + 1);
    const reading = readBundle(packBundle(new Map([['zeros', zeros]])));
    expect(reading.ok && zeros.equals(reading.entries.get('zeros') ?? Buffer.of())).toBe(true);
  });

  test('refuses names and counts that a zip cannot hold', () => {
    expect(() => packBundle(new Map([['a'.repeat(0x1_0000), text('')]]))).toThrow(RangeError);
    expect(packBundle(new Map([['a'.repeat(0xffff), text('')]])).length).toBeGreaterThan(0x1_fffe);
    expect(() => packBundle(new Map([['\ud800', text('')]]))).toThrow(RangeError);
    const many = new Map(Array.from({ length: 0xffff }, (_, index) => [`${index}`, text('')]));
    expect(() => packBundle(many)).toThrow(RangeError);
  });

  test('stores a file that deflate does not make smaller', () => {
    // Deflate needs four bytes for both.
    const entries = ['aaaa', 'aaaaa'].map((name): [string, Uint8Array] => [name, text(name)]);
    const { packed } = readBundle(packBundle(new Map(entries))) as { packed: BundleEntries };
    expect(packed.get('aaaa')).toEqual(text('aaaa'));
    expect(packed.get('aaaaa')).toHaveLength(4);
  });

  test('does not compress with the option stored, and the files read back the same', () => {
    const entries = new Map([['a.txt', new Uint8Array(50_000).fill(0x61)]]);
    const stored = packBundle(entries, { stored: true });
    expect(stored.length).toBeGreaterThan(50_000);
    expect(packBundle(entries).length).toBeLessThan(1_000);
    expect(readBundle(stored)).toMatchObject({ ok: true, entries });
    expect(readBundle(packBundle(entries))).toMatchObject({ ok: true, entries });
  });
});
