import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../support/test-store.ts';

describe('an unexpected failure', () => {
  it('says nothing outside, and all in the log', async () => {
    const secret = 'the password of the database';
    let broken = false;
    const clock = () => {
      if (broken) throw new Error(secret);
      return new Date(0);
    };
    const store = await openTestStore({ ambient: { clock } });
    broken = true;
    const answer = await bodyOf(store.call('GET', '/api/apps/catalog'));
    expect(answer).toEqual({
      httpStatus: 500,
      code: 'internal',
      message: expect.any(String),
      requestId: expect.any(String),
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
    const line = store.lines.find((text) => text.includes(secret));
    expect(line).toContain(answer.requestId);
  });
});
