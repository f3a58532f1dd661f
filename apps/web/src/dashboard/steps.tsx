import type { VersionState } from '@svc/contracts';
import { WORDS } from './words.ts';

const { steps: words } = WORDS;

/** How many of the steps of the way a version has behind it. */
const DONE: Readonly<Record<VersionState, number>> = {
  submitted: 1,
  checking: 1,
  in_review: 2,
  rejected: 3,
  approved: 3,
  published: 4,
  yanked: 4,
};

/** The way of a version from its upload to the catalogue, and how far it has come. */
export function Steps({ state }: { state: VersionState }) {
  const done = DONE[state];
  const isOver = state === 'rejected' || state === 'yanked';
  const last = isOver ? words[state] : words.published;
  const way = [words.uploaded, words.checked, words.review, last];
  return (
    <ol className="steps" aria-label={words.label}>
      {way.map((name, index) => {
        const isNow = index === done;
        const look =
          isOver && index === way.length - 1 ? 'bad' : index < done ? 'done' : isNow ? 'now' : 'ahead';
        return (
          <li key={name} className={look} {...(isNow && { 'aria-current': 'step' as const })}>
            {name}
            {look === 'done' ? <span className="unseen"> ({words.done})</span> : null}
            {look === 'now' ? <span className="unseen"> ({words.now})</span> : null}
          </li>
        );
      })}
    </ol>
  );
}
