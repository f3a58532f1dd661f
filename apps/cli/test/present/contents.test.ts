import { describe, expect, it } from 'vitest';
import { contentLines, leftOutLines, sizeBar } from '../../src/present/contents.ts';
import { memoryTerminal } from '../support/command-context.ts';

const { terminal } = memoryTerminal();
const MIB = 1024 * 1024;

describe('the size bar', () => {
  it.each([
    { bytes: 1, bar: `[█${'░'.repeat(19)}]  under 0.1 of 25 MiB` },
    { bytes: 4.2 * MIB, bar: `[███${'░'.repeat(17)}]  4.2 of 25 MiB` },
    { bytes: 25 * MIB - 1, bar: `[${'█'.repeat(19)}░]  25.0 of 25 MiB` },
    { bytes: 25 * MIB, bar: `[${'█'.repeat(20)}]  25.0 of 25 MiB` },
  ])('shows $bytes bytes', ({ bytes, bar }) => {
    expect(sizeBar(terminal, bytes, 25 * MIB)).toBe(`  ${bar}\n`);
  });

  it('uses ASCII without Unicode support', () => {
    const ascii = sizeBar({ ...terminal, unicode: false }, 5 * MIB, 25 * MIB);
    expect(ascii).toBe(`  [####${'.'.repeat(16)}]  5.0 of 25 MiB\n`);
  });

  it('is yellow when it is nearly full', () => {
    const coloured = { ...terminal, colour: true };
    expect(sizeBar(coloured, 20 * MIB, 25 * MIB)).toContain('\u001b[32m');
    expect(sizeBar(coloured, 20 * MIB + 1, 25 * MIB)).toContain('\u001b[33m');
  });
});

describe('the list of contents', () => {
  it('is sorted by size, then by name', () => {
    const entries = new Map([
      ['b', new Uint8Array(3)],
      ['a', new Uint8Array(3)],
      ['large', new Uint8Array(2048)],
    ]);
    expect(contentLines(terminal, entries)).toBe(
      '  files (unpacked size):\n    2.0 KiB  large\n    3 bytes  a\n    3 bytes  b\n',
    );
  });

  it('counts the files beyond its limit', () => {
    const entries = new Map(Array.from({ length: 215 }, (_, index) => [`f${index}`, new Uint8Array(index)]));
    const lines = contentLines(terminal, entries).trimEnd().split('\n');
    expect(lines).toHaveLength(17);
    expect(lines.at(-1)).toBe('    and 200 more');
  });

  it('shows the files left out, and escapes names', () => {
    expect(leftOutLines([])).toBe('');
    expect(leftOutLines([{ path: '\u001b[2J', why: 'hidden' }])).toBe(
      '  left out:\n    \\u001b[2J: hidden\n',
    );
  });
});
