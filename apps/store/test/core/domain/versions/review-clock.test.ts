import { expect, it } from 'vitest';
import { createReviewClock, expectedAt } from '../../../../src/core/domain/versions/review-clock.ts';
import { bodyOf, openTestStore } from '../../../support/test-store.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();

/** Decisions after 1, 2, 3 … minutes. */
const decided = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    submittedAt: at(0),
    decidedAt: at(n + 1),
    reasons: ['first-version'],
  }));

const clockOf = (count: number) =>
  createReviewClock({
    reviews: {
      decidedSince: async () => decided(count),
      waitingByReasons: async () => [
        { reasons: ['first-version', 'publisher-unverified'], count: 2, oldestAt: at(-10) },
        { reasons: ['permissions-widened'], count: 1, oldestAt: at(-5) },
      ],
    },
    clock: () => new Date(START),
  })();

it('has median and ninth decile from 20 decisions on, and hides them below', async () => {
  const few = await clockOf(19);
  expect(few).toMatchObject({ waiting: 3, oldestAt: at(-10), decisions: 19, medianMs: null, p90Ms: null });
  expect(expectedAt(few, at(0), new Date(START))).toBeNull();
  const clock = await clockOf(20);
  expect(clock).toMatchObject({ decisions: 20, medianMs: 10 * 60_000, p90Ms: 18 * 60_000 });
  expect(clock.reasons).toEqual([
    { reason: 'first-version', waiting: 2, decisions: 20, medianMs: 10 * 60_000, p90Ms: 18 * 60_000 },
    { reason: 'permissions-widened', waiting: 1, decisions: 0, medianMs: null, p90Ms: null },
    { reason: 'publisher-unverified', waiting: 2, decisions: 0, medianMs: null, p90Ms: null },
  ]);
  expect(expectedAt(clock, at(0), new Date(START))).toBe(at(10));
  // What waits longer than usual is not expected in the past.
  expect(expectedAt(clock, at(-60), new Date(START))).toBeNull();
});

it('is public as JSON and as a page, and counts decisions of moderators alone', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  store.advance(60_000);
  await store.decide('approve', '1.0.0', {});
  await store.publish(token, { version: '1.0.1' });
  store.advance(60_000);
  expect(await bodyOf(store.call('GET', '/api/review-clock'))).toMatchObject({
    waiting: 1,
    decisions: 1,
    medianMs: null,
  });
  const page = await store.call('GET', '/api/review-clock', { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('too few decisions');
});
