import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openBrowser } from '../apps/web/test/support/real-browser.ts';
import { readArguments } from './lib/read-arguments.ts';
import { contactSheet } from './screenshots/contact-sheet.ts';
import { SCHEMES, take, WIDTHS } from './screenshots/take.ts';
import { VIEWS } from './screenshots/views.ts';

const USAGE = `usage: npm run screenshots [-- FILTER…] [--out FOLDER] [--width N,…] [--scheme light|dark]

Takes screenshots of every page of the store and the desktop, in each state, ${WIDTHS.join(', ')} pixels wide, light and dark. FILTER is a
part of a view name, such as "catalogue", "desktop-" or "queue.full". Images and index.html are written to .screenshots/ or FOLDER.
Exits with 1 when a page has a fault: it overflows its window, controls overlap, text is cut off, a console error, a finding of
axe, or an image that did not load.
`;

const OPTIONS = {
  out: { type: 'string' },
  width: { type: 'string', multiple: true },
  scheme: { type: 'string', multiple: true },
} as const;

/** The widths of `390,1280`. @throws RangeError for anything else than numbers of pixels that a window can have */
function widthsOf(list: string): number[] {
  const widths = list.split(',').map(Number);
  if (!widths.every((width) => Number.isInteger(width) && width >= 200 && width <= 4_000))
    throw new RangeError(
      `--width takes whole numbers of pixels from 200 to 4000, such as 390,1280; not ${list}.`,
    );
  return widths;
}

/** @throws RangeError for an unknown scheme */
function schemeOf(name: string): (typeof SCHEMES)[number] {
  const scheme = SCHEMES.find((one) => one === name);
  if (scheme === undefined) throw new RangeError(`--scheme takes ${SCHEMES.join(' or ')}; not ${name}.`);
  return scheme;
}

const { views, folder, looks } = readArguments(USAGE, OPTIONS, ({ values, positionals }) => {
  const isSelected = ({ name, state }: (typeof VIEWS)[number]) =>
    positionals.length === 0 || positionals.some((part) => `${name}.${state}`.includes(part));
  const selected = VIEWS.filter(isSelected);
  if (selected.length === 0) throw new Error(`No view matches ${positionals.join(', ')}.`);
  return {
    views: selected,
    folder: resolve(values.out ?? '.screenshots'),
    looks: {
      widths: values.width?.flatMap(widthsOf) ?? WIDTHS,
      schemes:
        values.scheme === undefined
          ? SCHEMES
          : values.scheme.flatMap((scheme) => scheme.split(',')).map(schemeOf),
    },
  };
});
const browser = await openBrowser();
try {
  const all = await take(browser, views, {
    folder,
    looks,
    report: (shots) => {
      const [first] = shots;
      const faults = new Set(
        shots.flatMap((shot) => shot.faults.map((fault) => `${shot.width} ${shot.scheme}: ${fault}`)),
      );
      process.stdout.write(`${first?.view}.${first?.state}: ${shots.length} screenshots\n`);
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
    },
  });
  const sheet = join(folder, 'index.html');
  await writeFile(sheet, contactSheet(all));
  const faulty = all.filter(({ faults }) => faults.length > 0);
  process.stdout.write(`\n${all.length} screenshots, ${faulty.length} with faults: ${sheet}\n`);
  process.exitCode = faulty.length > 0 ? 1 : 0;
} finally {
  await browser.close();
}
