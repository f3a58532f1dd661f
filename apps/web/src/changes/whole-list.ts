import type { Footprint } from '@svc/contracts';
import { type ChangeText, changesOf, describeChanges } from '@svc/permissions';
import type { Tone } from './change-list.tsx';

/** One thing that an app may do, and what an update does to it. */
export type WholeEntry = { text: ChangeText; tone: Tone };

const told = (changes: Parameters<typeof describeChanges>[0]): WholeEntry[] => {
  const { widens, other } = describeChanges(changes);
  return [
    ...widens.map((text) => ({ text, tone: 'widens' as const })),
    ...other.map((text) => ({ text, tone: 'other' as const })),
  ];
};

/**
 * Everything that two versions of an app may do, in the order of the manifest: what the update changes, and what it
 * leaves as it was.
 */
export function wholeOf(base: Footprint, next: Footprint): WholeEntry[] {
  const changed = told(changesOf(base, next));
  const paths = new Set(changed.map(({ text }) => text.path));
  const same = told(changesOf(null, next))
    .filter(({ text }) => !paths.has(text.path))
    .map(({ text }): WholeEntry => ({ text: { ...text, before: null }, tone: 'same' }));
  return [...changed, ...same].sort((a, b) => (a.text.path < b.text.path ? -1 : 1));
}
