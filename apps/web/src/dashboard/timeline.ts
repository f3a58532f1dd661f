import type { Conversation, OwnVersionDetail, VersionState } from '@svc/contracts';
import { spanText } from '@svc/text/quantity';
import { count } from '@svc/ui/text';

/** One past, current or future step of a version. */
export type TimelineStep = {
  /** Unique among the steps of a version. */
  key: string;
  look: 'done' | 'now' | 'ahead' | 'bad' | 'mild';
  title: string;
  /** When the step happened or began; null for future steps. */
  at: string | null;
  /** Who did it, in words; may be empty. */
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

/** The steps that follow each state on the way to publication. */
const NEXT_STEPS: Readonly<Record<VersionState, readonly ('checked' | 'published')[]>> = {
  submitted: ['checked', 'published'],
  checking: ['checked', 'published'],
  in_review: ['published'],
  approved: ['published'],
  rejected: [],
  published: [],
  yanked: [],
};

const STEP_OF_MOVE: Partial<Record<VersionState, (move: Move, detail: Detail) => TimelineStep>> = {
  in_review: ({ at }, { status }) =>
    step('review', status === 'in_review' ? 'now' : 'done', 'In review', { at }),
  approved: ({ at, note, from }) =>
    step('approved', 'done', 'Approved', {
      at,
      note,
      by:
        from === 'in_review'
          ? 'Decided by a moderator of this store'
          : 'Decided by the checks: no review was needed',
    }),
  rejected: ({ at, note }, { retracted }) =>
    retracted
      ? step('rejected', 'mild', 'Retracted', { at, by: 'Decided by your publisher' })
      : step('rejected', 'bad', 'Rejected', { at, note, by: 'Decided by a moderator of this store' }),
  published: ({ at, from }) =>
    step(`published ${at}`, 'done', from === 'yanked' ? 'Published again' : 'Published', { at }),
  yanked: ({ at, note }) => step(`yanked ${at}`, 'bad', 'Yanked', { at, note }),
};

const requestsIn = (messages: Conversation['messages']): TimelineStep[] =>
  messages
    .filter(({ requestsChanges }) => requestsChanges)
    .map(({ number, at, name }) =>
      step(`changes ${number}`, 'mild', 'Changes requested', { at, by: name === null ? '' : `By ${name}` }),
    );

/** The requests for changes: from the conversation, or from the version until the conversation is loaded. */
const requestsOf = ({ changesRequestedAt: at }: Detail, messages: Conversation['messages']) => {
  const requests = requestsIn(messages);
  if (requests.length > 0 || at === null) return requests;
  return [step('changes', 'mild', 'Changes requested', { at })];
};

/** The step that ends the checks. */
function checkedOf({ moves, issues }: Detail): TimelineStep[] {
  const end = moves.find(({ from }) => from === 'checking');
  const findings = issues.length === 0 ? 'no findings' : count(issues.length, 'finding');
  return end ? [step('checked', 'done', 'Checked', { at: end.at, by: findings })] : [];
}

/**
 * The steps of a version, oldest first, with the ones still to come.
 * @param messages the conversation about the version; empty until it is loaded
 */
export function timelineOf(detail: Detail, messages: Conversation['messages'] = []): TimelineStep[] {
  const { status, submittedAt, moves } = detail;
  const isChecking = status === 'submitted' || status === 'checking';
  const past = [
    ...checkedOf(detail),
    ...moves.flatMap((move) => STEP_OF_MOVE[move.to]?.(move, detail) ?? []),
    ...requestsOf(detail, messages),
  ].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  const next = NEXT_STEPS[status].map((name) =>
    name === 'checked' && isChecking
      ? step('checking', 'now', 'Being checked')
      : step(`next ${name}`, 'ahead', name === 'checked' ? 'Checked' : 'Published'),
  );
  return [step('uploaded', 'done', 'Uploaded', { at: submittedAt }), ...past, ...next];
}

const MINUTE_MS = 60_000;

/** When a decision is likely, by recent reviews. Nothing is promised for the minute in which it is read, nor for the past. */
export function likelyText(expectedAt: string | undefined, now: number): string {
  const left = expectedAt === undefined ? 0 : Date.parse(expectedAt) - now;
  return left < MINUTE_MS ? '' : `By recent reviews, a decision is likely within ${spanText(left)}.`;
}
