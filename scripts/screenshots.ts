import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openBrowser } from '../apps/web/test/support/real-browser.ts';
import { readArguments } from './read-arguments.ts';
import { contactSheet } from './screenshots/contact-sheet.ts';
import { SCHEMES, take, WIDTHS } from './screenshots/take.ts';
import { VIEWS } from './screenshots/views.ts';

const USAGE = `usage: npm run screenshots [-- FILTER…] [--out FOLDER] [--width N…] [--scheme light|dark]

Takes every page of the store and the desktop, in each state, at ${WIDTHS.join(', ')} pixels, light and dark. FILTER is a part of the
name of a view, such as "catalogue", "desktop-" or "queue.full". The pictures and index.html go to .screenshots/, or to FOLDER.
Ends with 1 when a picture has a fault: wider than its window, controls over each other, text cut off, an error of the console,
what axe finds, a picture that did not load.
`;

const OPTIONS = {
  out: { type: 'string' },
  width: { type: 'string', multiple: true },
  scheme: { type: 'string', multiple: true },
} as const;

const { views, folder, looks } = readArguments(USAGE, OPTIONS, ({ values, positionals }) => {
  const isAsked = ({ name, state }: (typeof VIEWS)[number]) =>
    positionals.length === 0 || positionals.some((part) => `${name}.${state}`.includes(part));
  const asked = VIEWS.filter(isAsked);
  if (asked.length === 0) throw new Error(`There is no view of the name ${positionals.join(', ')}.`);
  return {
    views: asked,
    folder: resolve(values.out ?? '.screenshots'),
    looks: {
      widths: values.width?.map(Number) ?? WIDTHS,
      schemes: SCHEMES.filter((scheme) => values.scheme?.includes(scheme) ?? true),
    },
  };
});
const browser = await openBrowser();
try {
  const shots = await take(browser, views, {
    folder,
    looks,
    tell: (taken) => {
      const [first] = taken;
      const faults = new Set(
        taken.flatMap((shot) => shot.faults.map((fault) => `${shot.width} ${shot.scheme}: ${fault}`)),
      );
      process.stdout.write(`${first?.view}.${first?.state}: ${taken.length} pictures\n`);
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
    },
  });
  const sheet = join(folder, 'index.html');
  await writeFile(sheet, contactSheet(shots));
  const faulty = shots.filter(({ faults }) => faults.length > 0);
  process.stdout.write(`\n${shots.length} pictures, ${faulty.length} with faults: ${sheet}\n`);
  process.exitCode = faulty.length > 0 ? 1 : 0;
} finally {
  await browser.close();
}
