/** A line of a change, or how many lines were left out because nothing changes there. */
export type DiffLine =
  | { kind: 'same' | 'added' | 'removed'; text: string; line: number }
  | { kind: 'hidden'; lines: number; line: number };

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function commonLength(a: readonly string[], b: readonly string[], most: number): number {
  let n = 0;
  while (n < most && a[n] === b[n]) n += 1;
  return n;
}

/**
 * What differs between two texts: all between the lines with which both begin and the lines with which both end. An entry
 * that is put into a configuration, or taken out, is one such stretch.
 */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  const head = commonLength(old, fresh, shorter);
  const tail = commonLength(old.toReversed(), fresh.toReversed(), shorter - head);
  if (head === old.length && head === fresh.length) return [];
  const first = Math.max(0, head - CONTEXT);
  const last = Math.min(fresh.length, fresh.length - tail + CONTEXT);
  const stretch = (
    kind: 'same' | 'added' | 'removed',
    lines: readonly string[],
    from: number,
    to: number,
  ): DiffLine[] => lines.slice(from, to).map((text, i) => ({ kind, text, line: from + i + 1 }));
  const hidden = (lines: number, line: number): DiffLine[] =>
    lines > 0 ? [{ kind: 'hidden', lines, line }] : [];
  return [
    ...hidden(first, 0),
    ...stretch('same', fresh, first, head),
    ...stretch('removed', old, head, old.length - tail),
    ...stretch('added', fresh, head, fresh.length - tail),
    ...stretch('same', fresh, fresh.length - tail, last),
    ...hidden(fresh.length - last, last),
  ];
}
