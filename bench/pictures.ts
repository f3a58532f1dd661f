import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../scripts/torture/random.ts';
import { composition, costliest, isAccepted, RECIPES } from './lib/costly-pictures.ts';
import { type Drawer, openDrawer } from './lib/draw-in-chromium.ts';
import type { Figure, LeftOut } from './lib/figure.ts';
import { install } from './lib/peer.ts';
import { inTempFolder } from './lib/processes.ts';

const BOUND = { most: 200 };
/** Seeds of the compositions, and the number per seed. */
const SEEDS = [1, 2, 3, 4];
const COMPOSITIONS = 20;
const AMOUNTS = [0.02, 0.2, 1];
/** Icon sets with filters, masks and gradients, and the number of icons to render: the longest and some others. */
const SETS = ['fluent-emoji@1.2.7', 'logos@1.2.19', 'vscode-icons@1.2.97', 'flag@1.2.12'];
const OF_EACH = 40;
/** The number of slowest images that are rendered again, to exclude noise. */
const REPEATED = 8;

type Named = { what: string; svg: string };
type IconSet = {
  icons: Record<string, { body: string; width?: number; height?: number }>;
  width?: number;
  height?: number;
};

/** The slowest image, with the milliseconds of its fastest rendering. */
async function slowest(drawer: Drawer, pictures: readonly Named[]) {
  const drawn: { what: string; svg: string; ms: number }[] = [];
  for (const one of pictures) {
    drawn.push({ ...one, ms: await drawer.msOf(one.svg, 1) });
  }
  drawn.sort((a, b) => b.ms - a.ms);
  for (const one of drawn.slice(0, REPEATED)) {
    one.ms = Math.min(one.ms, await drawer.msOf(one.svg, 6));
    process.stderr.write(`${one.what}: ${one.ms.toFixed(1)} ms, ${one.svg.length} bytes\n`);
  }
  return drawn.reduce((a, b) => (b.ms > a.ms ? b : a));
}

function generated(): Named[] {
  const alone = Object.entries(RECIPES).flatMap(([what, recipe]) =>
    AMOUNTS.map((amount) => ({ what, svg: costliest((times) => recipe(times, amount, 'i')) })),
  );
  const composed = SEEDS.flatMap((seed) => {
    const random = randomOf(seed);
    return Array.from({ length: COMPOSITIONS }, () => composition(() => random.below(1e6) / 1e6));
  });
  return [...alone, ...composed].flatMap(({ what, svg }) => (svg === undefined ? [] : [{ what, svg }]));
}

/** The icons of a set as files: the longest, and a sample of the others. */
function iconsIn(file: string, set: string): Named[] {
  const { icons, ...sides } = JSON.parse(readFileSync(file, 'utf8')) as IconSet;
  const all = Object.entries(icons).sort(([, a], [, b]) => b.body.length - a.body.length);
  const every = Math.ceil(all.length / (OF_EACH / 2));
  const some = all.filter((_, n) => n < OF_EACH / 2 || n % every === 0);
  return some.map(([name, { body, width = sides.width ?? 16, height = sides.height ?? 16 }]) => ({
    what: `${set} ${name}`,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${width} ${height}">${body}</svg>`,
  }));
}

/** Installs a set in a temporary folder. @returns some of its icons */
function iconsOf(set: string, folder: string): Named[] {
  const [name = ''] = set.split('@');
  const own = join(folder, name);
  mkdirSync(own);
  install(own, `@iconify-json/${set}`);
  return iconsIn(join(own, 'node_modules', '@iconify-json', name, 'icons.json'), name);
}

/** The slowest images that the validator accepts, rendered by Chromium without GPU. */
export const pictures = (): Promise<(Figure | LeftOut)[]> =>
  inTempFolder(async (folder) => {
    const drawer = await openDrawer();
    try {
      return [await slowestGenerated(drawer), await slowestIcon(drawer, folder)];
    } finally {
      await drawer.close();
    }
  });

async function slowestGenerated(drawer: Drawer): Promise<Figure> {
  const all = generated();
  const { what, svg, ms } = await slowest(drawer, all);
  return {
    name: `Slowest of ${all.length} generated SVGs that fill what the validator accepts, drawn by Chromium without a graphics card at 512 pixels`,
    measured: `${what}, in ${svg.length} bytes; less an empty picture`,
    value: ms,
    unit: ' ms',
    bound: BOUND,
  };
}

async function slowestIcon(drawer: Drawer, folder: string): Promise<Figure | LeftOut> {
  const name = 'Slowest accepted icon of a sample of icon sets, rendered in the same way';
  const all: Named[] = [];
  try {
    for (const set of SETS) all.push(...iconsOf(set, folder));
  } catch {
    return { name, leftOut: 'the icon sets cannot be installed here' };
  }
  const accepted = all.filter(({ svg }) => isAccepted(svg));
  const { what, ms } = await slowest(drawer, accepted);
  const measured = `${what}; ${accepted.length} of ${all.length} accepted, from ${SETS.join(', ')}`;
  return { name, measured, value: ms, unit: ' ms', bound: BOUND };
}
