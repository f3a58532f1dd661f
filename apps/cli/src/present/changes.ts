import type { Change } from '@svc/contracts';
import {
  ALLOWED_TITLE,
  CHANGE_GROUPS,
  CHANGE_SIGNS,
  type ChangeText,
  describeAllowed,
  describeChanges,
  GROUP_TITLES,
  NO_VALUE,
} from '@svc/permissions';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './text.ts';

const UNICODE = { ...CHANGE_SIGNS, to: '→' };
const ASCII = { ...CHANGE_SIGNS, removed: '-', to: '->' };

function painter({ colour, unicode }: Terminal) {
  const { green, red, yellow } = createColors(colour);
  const signs = unicode ? UNICODE : ASCII;
  const paint = { added: green, removed: red, changed: yellow };
  return { signs, sign: (of: ChangeText['sign']) => paint[of](signs[of]) };
}

const subjectText = ({ label, subject }: ChangeText): string =>
  subject === '' ? label : `${label}: ${escapeText(subject)}`;

/** The change on one line, when it fits and is unambiguous; else null. */
function onOneLine(
  { columns }: Terminal,
  to: string,
  head: string,
  before: readonly string[],
  after: readonly string[],
): string | null {
  const [was = NO_VALUE, is = NO_VALUE] = [before[0], after[0]];
  const line = `${head}: ${was} ${to} ${is}`;
  const fits = before.length < 2 && after.length < 2 && line.length + '      + '.length <= columns;
  return fits && ![head, was, is].some((part) => part.includes(to)) ? line : null;
}

function changeText(terminal: Terminal, text: ChangeText): string {
  const { signs, sign } = painter(terminal);
  const head = subjectText(text);
  const first = `      ${sign(text.sign)} `;
  const linesOf = (lines: readonly string[] | null) => (lines ?? []).map(escapeText);
  const [before, after] = [linesOf(text.before), linesOf(text.after)];
  const line = text.before && text.after && onOneLine(terminal, signs.to, head, before, after);
  if (line) return `${first}${line}\n`;
  const side = (of: 'removed' | 'added', lines: readonly string[]) =>
    lines.map((value) => `          ${sign(of)} ${value}\n`).join('');
  return `${first}${head}\n${side('removed', before)}${side('added', after)}`;
}

/** The permission changes of an update, one a line: `+` added, `−` removed, `~` changed. */
export function changeLines(terminal: Terminal, changes: readonly Change[]): string {
  const groups = describeChanges(changes);
  return CHANGE_GROUPS.filter((group) => groups[group].length > 0)
    .map((group) => {
      const texts = groups[group].map((text) => changeText(terminal, text));
      return `    ${GROUP_TITLES[group]}:\n${texts.join('')}`;
    })
    .join('');
}

const allowedText = ({ subject, after }: ChangeText): string =>
  [subject, after?.join(', ') ?? '']
    .filter((part) => part !== '')
    .map(escapeText)
    .join(': ');

/**
 * The permissions of an app, one kind a line.
 * @param changes from no permissions to those of the app
 */
export function allowedLines(terminal: Terminal, changes: readonly Change[]): string {
  const { dim } = createColors(terminal.colour);
  const kinds = Map.groupBy(describeAllowed(changes), ({ label }) => label);
  const lines = [...kinds].map(([label, texts]) => {
    const items = texts.map(allowedText);
    const separator = items.some((item) => item.includes(',')) ? '; ' : ', ';
    return `    ${dim(`${label}:`)} ${items.join(separator)}\n`;
  });
  return `  ${ALLOWED_TITLE}:\n${lines.join('')}`;
}
