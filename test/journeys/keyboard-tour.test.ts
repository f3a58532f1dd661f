import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, png, TIMEOUT_MS } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../../apps/web/test/support/real-browser.ts';
import { NEEDS_FIREFOX, openChromium, openFirefox } from '../../packages/runtime/test/support/firefox.ts';
import { type Demo, openDemo } from '../../tools/demo/open-demo.ts';
import { COLORS, ENLARGED, type Look, PHONE, WIDE, walkTour } from './support/keyboard-tour.ts';
import type { Browser } from './support/keys.ts';

/** Most keys of the tour, with the 38 letters of its two texts. */
const MAX_KEYS = 105;

describe.each([
  ['Chromium', NEEDS_BROWSER, openChromium, 2],
  // Panels get no tokens there, and therefore no pictures of their server.
  [
    'Firefox',
    NEEDS_FIREFOX,
    (colors: Look['colors']) =>
      openFirefox({ 'layout.css.prefers-color-scheme.content-override': COLORS[colors] }),
    0,
  ],
] as const)('the tour of the README by keyboard alone, in %s', (name, needed, open, pictures) => {
  describe('in its windows', { ...needed, ...DEEP }, () => {
    let folder: string;
    let files: string[];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-tour-'));
      files = ['lake.png', 'hill.png'].map((file) => join(folder, file));
      for (const [at, file] of files.entries()) await writeFile(file, png(1_200 - at * 400, 800));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it.each<Look>([
      { size: WIDE, colors: name === 'Chromium' ? 'light' : 'dark' },
      { size: PHONE, colors: name === 'Chromium' ? 'dark' : 'light' },
      { size: ENLARGED, colors: name === 'Chromium' ? 'light' : 'dark' },
    ])(
      'leads from the first view to two pictures on the board: $size.width pixels, $colors',
      async (look) => {
        const [browser, demo]: [Browser, Demo] = await Promise.all([
          open(look.colors),
          openDemo({ open: false, ports: {} }),
        ]);
        onTestFinished(async () => {
          await browser.close();
          await demo.close();
        });
        const page = await browser.newPage();
        page.setDefaultTimeout(TIMEOUT_MS);
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        await page.setViewport(look.size);
        if (name === 'Chromium')
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.colors }]);
        const keys = await walkTour(page, demo, { look, files, pictures });
        expect(keys.presses()).toBeLessThanOrEqual(MAX_KEYS);
        expect([keys.hidden, errors]).toEqual([[], []]);
      },
    );
  });
});
