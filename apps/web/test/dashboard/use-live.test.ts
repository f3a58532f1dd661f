import { VERSION_STATES } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { isMoving, pollDelay } from '../../src/dashboard/use-live.ts';

describe('polling', () => {
  it('backs off to 30 seconds', () => {
    const delays = Array.from({ length: 40 }, (_, polls) => pollDelay(polls));
    expect(delays[0]).toBe(1_500);
    expect(delays.every((delay, index) => index === 0 || delay >= (delays[index - 1] ?? 0))).toBe(true);
    expect(delays.at(-1)).toBe(30_000);
    const firstMinute = delays.slice(0, 8).reduce((sum, delay) => sum + delay, 0);
    expect(firstMinute).toBeLessThan(60_000);
  });

  it('ends in states that only the publisher can change', () => {
    expect(VERSION_STATES.filter(isMoving)).toEqual(['submitted', 'checking', 'in_review', 'approved']);
  });
});
