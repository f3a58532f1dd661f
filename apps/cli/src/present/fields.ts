import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './escape.ts';

/** A label and its value; a field whose value is undefined or empty is left out. */
export type Field = readonly [label: string, value: string | readonly string[] | undefined];

/** Shown for an empty list. */
const NONE = 'none';

const textOf = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(', ') || NONE;

/** Fields, one a line, with the escaped values in one column. Lists are on one line. */
export function fieldLines(terminal: Terminal, fields: readonly Field[]): string {
  const { dim } = createColors(terminal.colour);
  const shown = fields.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value }],
  );
  const width = Math.max(...shown.map(({ label }) => label.length));
  return shown
    .map(({ label, value }) => `  ${dim(label.padEnd(width))}  ${escapeText(textOf(value))}\n`)
    .join('');
}

/** A headline such as `published  com.example.notes 1.0.0`, its first words in green, yellow or red. */
export function headline(
  terminal: Terminal,
  mood: 'good' | 'waiting' | 'bad',
  verdict: string,
  subject: string,
): string {
  const { green, yellow, red, bold } = createColors(terminal.colour);
  const paint = { good: green, waiting: yellow, bad: red }[mood];
  return `${bold(paint(escapeText(verdict)))}  ${escapeText(subject)}\n`;
}

/** A number of things: `1 file`, `2 files`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const KIB = 1024;

export function roughSize(bytes: number): string {
  if (bytes < KIB) return `${bytes.toLocaleString('en')} bytes`;
  const [unit, divisor] = bytes < KIB * KIB ? ['KiB', KIB] : ['MiB', KIB * KIB];
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}

/** The same, with the exact number of bytes. */
export const sizeOf = (bytes: number): string =>
  bytes < KIB ? roughSize(bytes) : `${roughSize(bytes)} (${bytes.toLocaleString('en')} bytes)`;
