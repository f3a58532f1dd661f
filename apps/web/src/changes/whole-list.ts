import type { Footprint } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges } from '@svc/permissions';
import type { Tone } from './change-list.tsx';

/** One permission of an app, and what an update does to it. */
export type WholeEntry = { text: ChangeText; tone: Tone };

const entriesOf = (changes: Parameters<typeof describeChanges>[0]): WholeEntry[] => {
  const { widens, instructions, other } = describeChanges(changes);
  return [
    ...widens.map((text) => ({ text, tone: 'widens' as const })),
    ...instructions.map((text) => ({ text, tone: 'instructions' as const })),
    ...other.map((text) => ({ text, tone: 'other' as const })),
  ];
};

/**
 * All permissions of two versions of an app, in the order of the manifest: those that the update changes, and those that
 * stay the same.
 */
export function wholeOf(base: Footprint, next: Footprint): WholeEntry[] {
  const changed = entriesOf(changesOf(base, next));
  const paths = new Set(changed.map(({ text }) => text.path));
  const same = entriesOf(changesOf(null, next))
    .filter(({ text }) => !paths.has(text.path))
    .map(({ text }): WholeEntry => ({ text: { ...text, before: null }, tone: 'same' }));
  return [...changed, ...same].sort((a, b) => (a.text.path < b.text.path ? -1 : 1));
}
