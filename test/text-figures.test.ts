import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { alikeTable, measureAlike } from '../tools/text/alike.ts';
import { figuresTable, LOOK_ALIKES, measureText } from '../tools/text/measure.ts';

it(
  'refuses no legitimate name, and detects look-alikes, with the figures of docs/project/text-figures.md',
  DEEP,
  () => {
    const figures = measureText();
    expect(figures.peopleRefused).toEqual([]);
    expect(figures.appsRefused).toEqual([]);
    expect(figures.people).toBeGreaterThan(3_000);
    expect(figures.apps).toBeGreaterThan(500);
    for (const count of [...Object.values(figures.peopleByScript), ...Object.values(figures.appsByScript)])
      expect(count).toBeGreaterThan(5);
    expect(figures.missed.length).toBeLessThanOrEqual(LOOK_ALIKES / 1_000);
    expect(readFileSync(join(import.meta.dirname, '../docs/project/text-figures.md'), 'utf8')).toContain(
      figuresTable(figures),
    );
  },
);

it(
  'catches look-alikes of brands, and takes few real names for each other, with the figures of docs/project/text-figures.md',
  DEEP,
  () => {
    const figures = measureAlike();
    expect([figures.brands, figures.tried, figures.names]).toEqual([100, 2_000, 2_000]);
    expect(figures.missed.length).toBeLessThan(figures.tried / 10);
    expect(figures.pairs.length).toBeLessThan(figures.names / 20);
    expect(readFileSync(join(import.meta.dirname, '../docs/project/text-figures.md'), 'utf8')).toContain(
      alikeTable(figures),
    );
  },
);
