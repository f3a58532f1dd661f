import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { isCode, type Location } from '@svc/validator';
import { createColors } from 'picocolors';
import type { CheckedApp } from '../check-app.ts';
import type { Terminal } from '../io/terminal.ts';
import { isAboutManifest, type ManifestSource, readSource } from '../manifest-file/source.ts';
import { escapeText } from './escape.ts';
import { frame } from './frame.ts';
import { verdictLine } from './issues.ts';

/** Maximum findings shown per code; the others are counted. */
const MAX_OF_A_CODE = 10;

/** How a PATH is displayed. */
type Names = {
  /** The PATH as the user wrote it. */
  shown: string;
  /** Whether PATH is the `plugin.json` itself. */
  isManifest: boolean;
};

/** The file of a finding; the PATH itself for a finding about the whole bundle. */
function fileOf({ shown, isManifest }: Names, issue: Issue): string {
  const entry = isAboutManifest(issue) ? MANIFEST_FILE : issue.path;
  if (isManifest || entry === '') return shown;
  return `${shown.replace(/(?<![/\\])[/\\]+$/, '')}/${entry}`;
}

/** One finding: message, location, and the source lines around it. */
function findingText(
  terminal: Terminal,
  file: string,
  issue: Issue,
  lines: readonly string[],
  place: Location | undefined,
): string {
  const { red, yellow, bold, dim, cyan } = createColors(terminal.colour);
  const paint = issue.level === 'error' ? red : yellow;
  const head = `${bold(paint(issue.level))} ${bold(escapeText(issue.code))}: ${escapeText(issue.message)}`;
  const at = place === undefined ? '' : `:${place.line}:${place.column}`;
  const pointer = issue.path.startsWith('/') ? `  ${dim(escapeText(issue.path))}` : '';
  const where = `  ${dim('-->')} ${cyan(`${escapeText(file)}${at}`)}${pointer}`;
  const shown = place === undefined ? '' : frame(terminal, lines, place, issue.level);
  return `${head}\n${where}\n${shown}`;
}

function countCodes(issues: readonly Issue[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of issues) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

function allFindings(terminal: Terminal, names: Names, { issues, source }: CheckedApp): string[] {
  const totals = countCodes(issues);
  const seen = new Map<string, number>();
  let manifest: ManifestSource | undefined;
  return issues.flatMap((issue) => {
    const number = (seen.get(issue.code) ?? 0) + 1;
    seen.set(issue.code, number);
    if (number > MAX_OF_A_CODE + 1) return [];
    const more = (totals.get(issue.code) ?? 0) - MAX_OF_A_CODE;
    if (number > MAX_OF_A_CODE) return [`and ${more} more ${escapeText(issue.code)}\n`];
    manifest ??= source && readSource(source);
    const place = manifest?.placeOf(issue);
    return [findingText(terminal, fileOf(names, issue), issue, manifest?.lines ?? [], place)];
  });
}

/** The hint to `svc explain`, when a code has a page. */
function hint(terminal: Terminal, issues: readonly Issue[]): string {
  const { dim } = createColors(terminal.colour);
  const codes = [...new Set(issues.map(({ code }) => code))].filter(isCode);
  if (codes[0] === undefined) return '';
  return `${dim(`To learn more, run: svc explain ${codes.length > 1 ? 'CODE' : codes[0]}`)}\n`;
}

/**
 * The findings for a PATH as text: each finding with its location, in the order of the checks, then a hint, then the totals. At most
 * ten findings per code are shown.
 */
export function findingsText(terminal: Terminal, names: Names, checked: CheckedApp): string {
  const { issues } = checked;
  const findings = allFindings(terminal, names, checked).map((text) => `${text}\n`);
  return `${findings.join('')}${hint(terminal, issues)}${verdictLine(names.shown, issues)}`;
}
