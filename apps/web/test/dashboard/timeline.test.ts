import type { OwnVersionDetail, VersionState } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { likelyText, timelineOf } from '../../src/dashboard/timeline.ts';

type Detail = Parameters<typeof timelineOf>[0];
type Message = NonNullable<Parameters<typeof timelineOf>[1]>[number];

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 9, minute)).toISOString();

/** A version that went through states, one each minute after its upload. */
function versionThrough(...states: readonly (VersionState | [VersionState, string])[]): Detail {
  const moves: OwnVersionDetail['moves'] = [];
  let from: VersionState = 'submitted';
  for (const state of states) {
    const [to, note] = typeof state === 'string' ? [state, ''] : state;
    moves.push({ from, to, at: at(moves.length + 1), note });
    from = to;
  }
  return {
    status: from,
    submittedAt: at(0),
    moves,
    retracted: false,
    issues: [],
    changesRequestedAt: null,
  };
}

const message = (number: number, minute: number, requestsChanges: boolean): Message => ({
  number,
  at: at(minute),
  side: 'store',
  role: 'moderator',
  isYours: false,
  name: 'Mia',
  text: 'Why more?',
  requestsChanges,
});

const looksOf = (...given: Parameters<typeof timelineOf>): string[] =>
  timelineOf(...given).map(({ look, title }) => `${look}: ${title}`);

describe('the timeline of a version', () => {
  it.each([
    ['submitted', versionThrough(), ['done: Uploaded', 'now: Being checked', 'ahead: Published']],
    ['checking', versionThrough('checking'), ['done: Uploaded', 'now: Being checked', 'ahead: Published']],
    [
      'in review',
      versionThrough('checking', 'in_review'),
      ['done: Uploaded', 'done: Checked', 'now: In review', 'ahead: Published'],
    ],
    [
      'published without a review',
      versionThrough('checking', 'approved', 'published'),
      ['done: Uploaded', 'done: Checked', 'done: Approved', 'done: Published'],
    ],
    [
      'rejected',
      versionThrough('checking', 'in_review', ['rejected', 'Why more?']),
      ['done: Uploaded', 'done: Checked', 'done: In review', 'bad: Rejected'],
    ],
    [
      'yanked, and published again',
      versionThrough('checking', 'approved', 'published', 'yanked', 'published', 'yanked'),
      [
        'done: Uploaded',
        'done: Checked',
        'done: Approved',
        'done: Published',
        'bad: Yanked',
        'done: Published again',
        'bad: Yanked',
      ],
    ],
  ])('of one that is %s', (_what, detail, looks) => {
    expect(looksOf(detail)).toEqual(looks);
    const keys = timelineOf(detail).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('shows when a version was decided, by whom, and the note', () => {
    const reviewed = timelineOf(
      versionThrough('checking', 'in_review', ['approved', 'Well done.'], 'published'),
    );
    expect(reviewed.find(({ key }) => key === 'approved')).toMatchObject({
      at: at(3),
      by: 'Decided by a moderator of this store',
      note: 'Well done.',
    });
    const checked = timelineOf(versionThrough('checking', 'approved'));
    expect(checked.find(({ key }) => key === 'approved')?.by).toMatch(/^Decided by the checks/);
    const retracted = timelineOf({ ...versionThrough('checking', 'in_review', 'rejected'), retracted: true });
    expect(retracted.at(-1)).toMatchObject({ look: 'mild', by: 'Decided by your publisher' });
  });

  it('counts the findings of the checks', () => {
    const issue = { level: 'warning', code: 'x', path: '', message: 'x' } as const;
    const [, checked] = timelineOf({ ...versionThrough('checking', 'in_review'), issues: [issue, issue] });
    expect(checked?.by).toBe('2 findings');
    expect(timelineOf(versionThrough('checking', 'in_review'))[1]?.by).toBe('no findings');
  });

  it('shows each request for changes at its time, and the open one before the conversation is loaded', () => {
    const open = { ...versionThrough('checking', 'in_review'), changesRequestedAt: at(5) };
    expect(timelineOf(open).find(({ title }) => title === 'Changes requested')).toMatchObject({
      at: at(5),
      by: '',
    });
    const steps = timelineOf(open, [message(1, 4, true), message(2, 5, true), message(3, 6, false)]);
    expect(steps.filter(({ title }) => title === 'Changes requested')).toMatchObject([
      { at: at(4), by: 'By Mia' },
      { at: at(5), by: 'By Mia' },
    ]);
  });
});

it('promises a decision only for a time that is ahead', () => {
  const now = Date.parse(at(0));
  expect(likelyText(at(30), now)).toBe('By recent reviews, a decision is likely within 30 minutes.');
  expect(likelyText(at(180), now)).toContain('within 3 hours');
  expect([likelyText(at(0), now), likelyText(at(-5), now), likelyText(undefined, now)]).toEqual(['', '', '']);
  expect(likelyText(new Date(now + 59_000).toISOString(), now)).toBe('');
});
