import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, png } from '@svc/testkit';
import { openChromium } from '../../packages/runtime/test/support/firefox.ts';
import { WIDE, walkTour } from '../../test/journeys/support/keyboard-tour.ts';
import { openDemo } from '../demo/open-demo.ts';
import type { Figure, LeftOut } from './lib/figure.ts';

/** The tour of the README by keyboard alone, with the checks of its test, in headless Chromium. */
export async function tour(): Promise<(Figure | LeftOut)[]> {
  const name = 'The tour of the README by keyboard alone, from the first view to two pictures on the board';
  if (findChromium() === undefined) return [{ name, leftOut: 'needs Chromium' }];
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'svc-tour-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const files = ['lake.png', 'hill.png'].map((file) => join(folder, file));
  for (const file of files) await writeFile(file, png(1_200, 800));
  const demo = opened.adopt(await openDemo({ open: false, ports: {} }), (one) => one.close());
  const browser = opened.adopt(await openChromium(), (one) => one.close());
  const page = await browser.newPage();
  await page.setViewport(WIDE);
  const started = performance.now();
  const keys = await walkTour(page, demo, { look: { size: WIDE, colors: 'light' }, files, pictures: 2 });
  const seconds = (performance.now() - started) / 1_000;
  return [
    {
      name,
      measured: `${seconds.toFixed(1)} s as a script presses them, 38 of them letters and no press is a click`,
      value: keys.presses(),
      unit: ' keys',
      bound: { most: 140 },
    },
  ];
}
