import type { Conversation, OwnVersionDetail, VersionState } from '@svc/contracts';
import { count } from '../check/words.ts';
import { WORDS } from './words.ts';

const { timeline: words } = WORDS;

/** One event or step of a version: what happened or comes next, when, by whom, and what was said with it. */
export type TimelineStep = {
  /** Unique among the steps of a version. */
  key: string;
  look: 'done' | 'now' | 'ahead' | 'bad' | 'mild';
  title: string;
  /** When it happened, or since when it is so; null for what comes next. */
  at: string | null;
  /** Who did it, in words; empty when that is plain. */
  by: string;
  note: string;
};

type Move = OwnVersionDetail['moves'][number];

type Detail = Pick<
  OwnVersionDetail,
  'status' | 'submittedAt' | 'moves' | 'retracted' | 'issues' | 'changesRequestedAt'
>;

const step = (key: string, look: TimelineStep['look'], title: string, rest: Partial<TimelineStep> = {}) => ({
  key,
  look,
  title,
  at: null,
  by: '',
  note: '',
  ...rest,
});

/** What comes after each state when all goes well. */
const AHEAD: Readonly<Record<VersionState, readonly ('checked' | 'published')[]>> = {
  submitted: ['checked', 'published'],
  checking: ['checked', 'published'],
  in_review: ['published'],
  approved: ['published'],
  rejected: [],
  published: [],
  yanked: [],
};

const MOVED: Partial<Record<VersionState, (move: Move, detail: Detail) => TimelineStep>> = {
  in_review: ({ at }, { status }) =>
    step('review', status === 'in_review' ? 'now' : 'done', words.review, { at }),
  approved: ({ at, note, from }) =>
    step('approved', 'done', words.approved, {
      at,
      note,
      by: from === 'in_review' ? words.byModerator : words.byChecks,
    }),
  rejected: ({ at, note }, { retracted }) =>
    retracted
      ? step('rejected', 'mild', words.retracted, { at, by: words.byPublisher })
      : step('rejected', 'bad', words.rejected, { at, note, by: words.byModerator }),
  published: ({ at, from }) =>
    step(`published ${at}`, 'done', from === 'yanked' ? words.publishedAgain : words.published, { at }),
  yanked: ({ at, note }) => step(`yanked ${at}`, 'bad', words.yanked, { at, note }),
};

const asksFor = (messages: Conversation['messages']): TimelineStep[] =>
  messages
    .filter(({ requestsChanges }) => requestsChanges)
    .map(({ number, at, name }) =>
      step(`changes ${number}`, 'mild', words.changes, { at, by: name === null ? '' : words.by(name) }),
    );

/** The first request of those that the conversation, once it is there, tells in full. */
const changesOf = ({ changesRequestedAt: at }: Detail, messages: Conversation['messages']) => {
  const told = asksFor(messages);
  if (told.length > 0 || at === null) return told;
  return [step('changes', 'mild', words.changes, { at })];
};

/** That the checks are over, of the first move that leaves them. */
function checkedOf({ moves, issues }: Detail): TimelineStep[] {
  const left = moves.find(({ from }) => from === 'checking');
  const found = issues.length === 0 ? words.noFindings : count(issues.length, 'finding');
  return left ? [step('checked', 'done', words.checked, { at: left.at, by: found })] : [];
}

/**
 * How a version came where it is, oldest first, and what is still to come.
 * @param messages what moderators and the publisher wrote about it, as far as that is known
 */
export function timelineOf(detail: Detail, messages: Conversation['messages'] = []): TimelineStep[] {
  const { status, submittedAt, moves } = detail;
  const isChecking = status === 'submitted' || status === 'checking';
  const past = [
    ...checkedOf(detail),
    ...moves.flatMap((move) => MOVED[move.to]?.(move, detail) ?? []),
    ...changesOf(detail, messages),
  ].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  const next = AHEAD[status].map((name) =>
    name === 'checked' && isChecking
      ? step('checking', 'now', words.checking)
      : step(`next ${name}`, 'ahead', words[name]),
  );
  return [step('uploaded', 'done', words.uploaded, { at: submittedAt }), ...past, ...next];
}
