import { findChromium, findFirefox, needs, pathOfProgram } from '@svc/testkit';
import puppeteer, { type Browser } from 'puppeteer-core';

const FIREFOX = findFirefox();

/** Options of tests that need Firefox. */
export const NEEDS_FIREFOX = needs(
  FIREFOX !== undefined,
  'needs Firefox: install firefox-esr, or name the program in FIREFOX',
);

/** How long a busy machine may take to start a browser, in milliseconds. */
const START_MS = 90_000;

/** A Firefox of this machine without a window, driven over WebDriver BiDi. */
export const openFirefox = (settings: Readonly<Record<string, unknown>> = {}): Promise<Browser> =>
  puppeteer.launch({
    browser: 'firefox',
    executablePath: pathOfProgram(FIREFOX ?? ''),
    acceptInsecureCerts: true,
    extraPrefsFirefox: { ...settings },
    timeout: START_MS,
  });

/** The Chromium of this machine without a window, with the driver of Firefox, for one test in both. */
export const openChromium = (): Promise<Browser> =>
  puppeteer.launch({
    executablePath: pathOfProgram(findChromium() ?? ''),
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: START_MS,
  });
