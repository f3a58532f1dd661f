import { outsideFences } from '../blocks.ts';
import { isFormula } from './formulas.ts';

/** The quotes and lists around a line, and the beginning of a displayed formula. */
const BEGINS = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(\\\[|\$\$)(.*)$/;
const ITEM = /^ *(?:[-*+]|\d{1,9}[.)])[ \t]/;
const CLOSERS: Record<string, string> = { '\\[': '\\]' };
/** Most lines of a displayed formula. */
const MAX_LINES = 200;

/** Where a delimiter stands that no backslash before it escapes; -1 where it does not. */
function indexOfMark(text: string, mark: string): number {
  for (let at = 0; at < text.length; at += text[at] === '\\' ? 2 : 1)
    if (text.startsWith(mark, at)) return at;
  return -1;
}

type Displayed = { prefix: string; lines: string[]; next: number; rest: string };

type Lines = { textAt(line: number): string; isOutside(line: number): boolean; count: number };

/** The line on which a delimiter closes a formula; -1 where another begins, code follows, or nothing closes it. */
function endOf(lines: Lines, at: number, mark: string, mayBeEmpty: boolean): number {
  const closer = CLOSERS[mark] ?? mark;
  for (let line = at; line < Math.min(lines.count, at + MAX_LINES); line += 1) {
    const text = lines.textAt(line);
    if (!lines.isOutside(line) || (text.trim() === '' && !mayBeEmpty)) return -1;
    if (indexOfMark(text, closer) >= 0) return line;
    if (indexOfMark(text, mark) >= 0) return -1;
  }
  return -1;
}

/** The displayed formula that begins at a line; null where there is none, or text stands beside it. */
function displayedAt(
  lines: readonly string[],
  at: number,
  isOutside: (line: number) => boolean,
): Displayed | null {
  const [, prefix = '', mark = '', first = ''] = BEGINS.exec(lines[at] ?? '') ?? [];
  if (mark === '') return null;
  const outer = prefix.includes('>') ? /^[>\s]*/ : /^[ \t]*/;
  const textAt = (line: number) => (line === at ? first : (lines[line] ?? '').replace(outer, ''));
  // Dollars that stand beside text end at an empty line.
  const mayBeEmpty = mark !== '$$' || first.trim() === '';
  const last = endOf({ textAt, isOutside, count: lines.length }, at, mark, mayBeEmpty);
  if (last < 0) return null;
  const closer = CLOSERS[mark] ?? mark;
  const end = indexOfMark(textAt(last), closer);
  const rest = textAt(last)
    .slice(end + closer.length)
    .trim();
  const isSentence = !/^[.,;:]?$/.test(rest);
  const before = Array.from({ length: last - at }, (_, index) => textAt(at + index));
  const inside = [...before, textAt(last).slice(0, end) + (isSentence ? '' : rest)];
  if ((last === at && isSentence) || inside.join('').trim() === '') return null;
  return { prefix, lines: inside, next: last + 1, rest: isSentence ? rest : '' };
}

const ROW = /^[ \t>]*\|/;

/** Writes the bars of a formula in a row of a table as commands: they would begin cells. */
const withoutBars = (formula: string): string =>
  formula.replaceAll(/\\?\|/g, (bar) => (bar === '|' ? '\\vert{}' : '\\Vert{}'));

function rowOf(row: string): string {
  const [first = '', ...rounds] = row.split('\\(');
  const inside = rounds.map((text) => {
    const end = text.indexOf('\\)');
    return end < 0 ? text : withoutBars(text.slice(0, end)) + text.slice(end);
  });
  const pieces = [first, ...inside].join('\\(').split('$');
  for (let at = 1; at < pieces.length - 1; at += 1) {
    const [formula = '', after = ''] = pieces.slice(at, at + 2);
    if (!isFormula(formula, after)) continue;
    pieces[at] = withoutBars(formula);
    at += 1;
  }
  return pieces.join('$');
}

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** A formula as a fence, in the quotes and lists around it, and the text after it. */
function fenceOf({ prefix, lines, rest }: Displayed): string[] {
  const marks = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  const below = prefix.replaceAll(/[^\s>]/g, ' ');
  const inside = lines.filter((line, at) => line.trim() !== '' || (at > 0 && at < lines.length - 1));
  return [
    `${prefix}${marks}math`,
    ...[...inside, marks].map((line) => below + line),
    ...(rest === '' ? [] : [below + rest]),
  ];
}

/**
 * Writes displayed formulas that begin a line as fences of the language `math`: what is inside is then no heading, list or quote. Code is left
 * alone.
 */
export function fenceFormulas(text: string): string {
  if (!text.includes('$') && !text.includes('\\')) return text;
  const lines = text.split('\n');
  const outside = outsideFences(lines);
  const isOutside = (line: number) => outside[line] === true;
  const result: string[] = [];
  let hasItem = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    hasItem ||= ITEM.test(line);
    const isCode = !isOutside(at) || (/^(?: {4}|\t)/.test(line) && !hasItem);
    const found = isCode ? null : displayedAt(lines, at, isOutside);
    if (found === null) {
      result.push(!isCode && ROW.test(line) ? rowOf(line) : line);
      continue;
    }
    result.push(...fenceOf(found));
    at = found.next - 1;
  }
  return result.join('\n');
}
