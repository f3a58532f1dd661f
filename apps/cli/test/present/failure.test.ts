import { expect, it } from 'vitest';
import { failed, StoreError, usageError } from '../../src/failure.ts';
import { reportFailure } from '../../src/present/failure.ts';
import { memoryTerminal } from '../support/command-context.ts';

it.each([
  { error: failed('It broke.\u001b'), code: 1, says: 'svc: It broke.\\u001b\n' },
  { error: usageError('Not so.'), code: 2, says: 'svc: Not so.\n' },
])('tells $says', ({ error, code, says }) => {
  const { terminal, shown } = memoryTerminal();
  expect(reportFailure(terminal, error)).toBe(code);
  expect(shown).toEqual({ out: '', err: says });
});

it('owns up to a bug', () => {
  const { terminal, shown } = memoryTerminal();
  expect(reportFailure(terminal, new TypeError('undefined is not a function'))).toBe(1);
  expect(shown.err).toMatch(
    /^svc: this should not have happened.*\n {2}TypeError: undefined is not a function\n/,
  );
});

it.each([
  { fromEnvironment: true, says: 'The token in SVC_TOKEN is wrong' },
  { fromEnvironment: false, says: 'log in again with svc login' },
])('says what to do about a token that is refused: $says', ({ fromEnvironment, says }) => {
  const { terminal, shown } = memoryTerminal();
  const envelope = { code: 'unauthorized', message: 'No.', requestId: 'r-1' } as const;
  expect(reportFailure(terminal, new StoreError(envelope), fromEnvironment)).toBe(1);
  expect(shown.err).toContain(says);
});
