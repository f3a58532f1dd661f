import type { Issue } from '@svc/contracts';
import { expect, it } from 'vitest';
import { findingsOf, lineOfCall } from '../../src/commands/dev.ts';

const view = { folder: '/app', appId: null, issues: [] as Issue[], fault: null };

it('prints each finding with its code, path and message, without control characters', () => {
  const issue: Issue = {
    code: 'version.format',
    level: 'error',
    path: '/ver\u001b[2Jsion',
    message: 'No\nversion.',
  };
  expect(findingsOf({ ...view, issues: [issue], fault: 'The id is taken.' })).toEqual([
    '2 found:',
    '  error version.format /ver [2Jsion: No version.',
    '  The id is taken.',
  ]);
  expect(findingsOf(view)).toEqual(['clean']);
});

it('prints the caller, outcome and duration of a call', () => {
  const call = {
    type: 'call-log',
    log: 'a',
    at: '2026-01-01T00:00:00.000Z',
    appId: 'com.example.notes',
    tool: 'add',
    chat: null,
  } as const;
  const line = lineOfCall({
    ...call,
    asker: 'codex\u001b[31m',
    ms: 12,
    outcome: 'answered',
    detail: '{"a":1} → "ok"',
  });
  expect(line).toBe('call com.example.notes add by codex [31m: answered in 12 ms {"a":1} → "ok"');
});
