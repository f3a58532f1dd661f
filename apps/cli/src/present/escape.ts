import { escapeLines as escapeAll, escapeJson, escapeText as escapeOne } from '@svc/text/escape';

/** Longest text of a stranger that is shown in one piece, in UTF-16 code units. */
const MAX_SHOWN = 4_000;

/** Text of strangers as one line of a terminal. */
export const escapeText = (text: string): string => escapeOne(text, 'terminal', { most: MAX_SHOWN });

/** The same for text of several lines: each indented, so that none passes for ours. */
export const escapeLines = (text: string, indent: string): string =>
  escapeAll(text, 'terminal', indent, { most: MAX_SHOWN });

/** A value as one line of JSON that is safe to show too. */
export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value))}\n`;
