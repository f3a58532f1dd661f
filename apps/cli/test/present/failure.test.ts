import { expect, it } from 'vitest';
import { failed, StoreError, usageError } from '../../src/failure.ts';
import { reportFailure } from '../../src/present/failure.ts';
import { memoryTerminal } from '../support/command-context.ts';

it.each([
  { error: failed('It broke.\u001b'), code: 1, says: 'svc: It broke.\\u001b\n' },
  { error: usageError('Not so.'), code: 2, says: 'svc: Not so.\n' },
])('reports $says', ({ error, code, says }) => {
  const { terminal, shown } = memoryTerminal();
  expect(reportFailure(terminal, error)).toBe(code);
  expect(shown).toEqual({ out: '', err: says });
});

it('reports an internal error with its stack', () => {
  const { terminal, shown } = memoryTerminal();
  expect(reportFailure(terminal, new TypeError('undefined is not a function'))).toBe(1);
  expect(shown.err).toMatch(/^svc: internal error.*\n {2}TypeError: undefined is not a function\n/);
});

it.each([
  { fromEnvironment: true, says: 'The token in SVC_TOKEN is invalid' },
  { fromEnvironment: false, says: 'Log in: svc login' },
])('explains how to fix a refused token: $says', ({ fromEnvironment, says }) => {
  const { terminal, shown } = memoryTerminal();
  const envelope = { code: 'unauthorized', message: 'No.', requestId: 'r-1' } as const;
  expect(reportFailure(terminal, new StoreError(envelope), fromEnvironment)).toBe(1);
  expect(shown.err).toContain(says);
});
