import { structuredPatch } from 'diff';

/** A line of a diff, or the number of unchanged lines that are hidden. */
export type DiffLine =
  | { kind: 'same' | 'added' | 'removed'; text: string; line: number }
  | { kind: 'hidden'; lines: number; line: number };

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/** Adds a missing line feed at the end, which is no change worth showing. */
const withFinalNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** The line diff of two texts, with context around each change; empty for equal texts. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const fresh = withFinalNewline(after);
  const { hunks } = structuredPatch('', '', withFinalNewline(before), fresh, '', '', { context: CONTEXT });
  const shown: DiffLine[] = [];
  /** Lines of each side processed so far. */
  const at = { old: 0, fresh: 0 };
  const hide = (lines: number): void => {
    if (lines > 0) shown.push({ kind: 'hidden', lines, line: at.fresh });
    at.old += Math.max(0, lines);
    at.fresh += Math.max(0, lines);
  };
  for (const hunk of hunks) {
    hide(hunk.newStart - 1 - at.fresh);
    for (const text of hunk.lines) {
      const kind = KINDS[text[0] as keyof typeof KINDS];
      if (kind !== 'added') at.old += 1;
      if (kind !== 'removed') at.fresh += 1;
      shown.push({ kind, text: text.slice(1), line: kind === 'removed' ? at.old : at.fresh });
    }
  }
  if (hunks.length > 0) hide(fresh.split('\n').length - 1 - at.fresh);
  return shown;
}
