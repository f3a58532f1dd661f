import { basename } from 'node:path';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameFor, safeName } from '../../src/files/safe-name.ts';

it.each([
  ['report.pdf', 'report.pdf'],
  ['Grüße aus Köln.txt', 'Grüße aus Köln.txt'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\system.ini', 'system.ini'],
  ['..', 'file'],
  ['', 'file'],
  ['.bashrc', 'bashrc'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['a:b?.txt', 'a_b_.txt'],
  ['photo\u202egnp.exe', 'photo_gnp.exe'],
  ['a\u0000b\n.txt', 'a_b_.txt'],
  ['trailing. . ', 'trailing'],
])('turns %j into the name %j', (given, safe) => {
  expect(safeName(given)).toBe(safe);
});

it.each([
  ['dots', '.'.repeat(100_000), 'file'],
  ['dots after a name', `a${'. '.repeat(50_000)}`, 'a'],
  ['dots before a name', `${'.'.repeat(100_000)}b`, null],
  ['dots within a name', `a${'.'.repeat(100_000)}b.txt`, null],
  ['folders', `${'a/'.repeat(50_000)}b.txt`, 'b.txt'],
  ['combining marks, which take long to sort', `a${'\u0301\u0323'.repeat(50_000)}`, null],
])('takes less than a second for 100,000 %s from a server', (_what, given, safe) => {
  const start = process.cpuUsage();
  const name = safeName(given);
  const { user, system } = process.cpuUsage(start);
  // A quadratic search took 34 seconds for the first of these.
  expect((user + system) / 1_000_000).toBeLessThan(1);
  if (safe !== null) expect(name).toBe(safe);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(safeName(name)).toBe(name);
});

it('keeps the extension of a long name', () => {
  expect(safeName(`${'a'.repeat(100_000)}.pdf`)).toMatch(/^a{150,200}\.pdf$/);
});

it('returns a safe name for any text, and does not change a safe name', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 400 }), (given) => {
      const safe = safeName(given);
      expect(safe).toBe(basename(safe));
      expect(safe).not.toMatch(/^\.|[/\\:\p{Cc}\p{Cs}\p{Co}\u202a-\u202e]|[. ]$/u);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255);
      expect(safe.length).toBeGreaterThan(0);
      expect(safeName(safe)).toBe(safe);
    }),
  );
});

it.each([
  ['photo.png', 'image/jpeg', 'photo.jpg'],
  ['photo.JPEG', 'image/jpeg', 'photo.JPEG'],
  ['page.html', 'image/png', 'page.png'],
  ['unknown.xyz', 'application/x-unknown', 'unknown.xyz'],
])('gives %s of type %s the name %s', (name, type, named) => {
  expect(nameFor(name, type)).toBe(named);
});
