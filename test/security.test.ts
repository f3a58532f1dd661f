import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const PAGES = [
  'docs/project/threats.md',
  'docs/project/threats-accounts.md',
  'docs/project/threats-client.md',
  'docs/project/threats-computer.md',
];

/** The rows of the pages of threats that have an id, by the headings of their boundaries. */
function rows(): Map<string, { id: string; cells: string[] }[]> {
  const found = new Map<string, { id: string; cells: string[] }[]>();
  let heading = '';
  for (const line of PAGES.flatMap((page) => readFileSync(join(ROOT, page), 'utf8').split('\n'))) {
    if (line.startsWith('## ')) heading = line.slice(3);
    const [, id, ...cells] = line
      .replaceAll('\\|', '')
      .split('|')
      .map((cell) => cell.trim());
    if (!id || !/^[A-Z]\d+$/.test(id)) continue;
    found.set(heading, [...(found.get(heading) ?? []), { id, cells: cells.slice(0, -1) }]);
  }
  return found;
}

describe('SECURITY.md', () => {
  it('is short enough to be read before a report', () => {
    expect(statSync(join(ROOT, 'SECURITY.md')).size).toBeLessThanOrEqual(8_192);
  });
});

describe('the pages of threats', () => {
  it('numbers the rows of each boundary with its own letter', () => {
    const letters = [...rows()].map(([heading, inside]) => {
      const letter = inside[0]?.id[0] ?? '';
      expect(
        inside.map(({ id }) => id),
        heading,
      ).toEqual(inside.map((_, n) => `${letter}${n + 1}`));
      return letter;
    });
    expect(letters.length).toBeGreaterThan(5);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('names in each row the asset, the threat, the control, and an existing test', () => {
    for (const { id, cells } of [...rows().values()].flat()) {
      expect(cells.length, id).toBe(4);
      for (const cell of cells) {
        expect(cell, id).not.toBe('');
        expect(cell.length, `${id}: ${cell}`).toBeLessThanOrEqual(200);
      }
      const [, path = ''] = /\]\(([^)]+\.test\.ts)\)$/.exec(cells.at(-1) ?? '') ?? [];
      expect(existsSync(join(ROOT, 'docs/project', path)) && path !== '', `${id} ${path}`).toBe(true);
    }
  });
});
