import { escapeLines as escapeAll, escapeJson, escapeText as escapeOne } from '@svc/text/escape';

/** Maximum length of an untrusted text, in UTF-16 code units. */
const MAX_SHOWN = 4_000;

export const escapeText = (text: string): string => escapeOne(text, 'terminal', { most: MAX_SHOWN });

/** Escapes untrusted text of several lines. Each line is indented, so that none looks like output of svc. */
export const escapeLines = (text: string, indent: string): string =>
  escapeAll(text, 'terminal', indent, { most: MAX_SHOWN });

/** A value as one line of JSON that is safe to print to a terminal. */
export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value))}\n`;
