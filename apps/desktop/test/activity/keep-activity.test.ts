import type { RuntimeEvent } from '@svc/runtime';
import { expect, it } from 'vitest';
import { keepActivity } from '../../src/activity/keep-activity.ts';
import type { NewEntry } from '../../src/activity/open-activity.ts';
import { createPageEvents } from '../../src/events/page-events.ts';

const APP = 'com.example.notes';
const NOW = new Date('2026-03-01T10:00:00Z');

/** Activity in an array, and functions that emit its events. */
function started() {
  const entries: NewEntry[] = [];
  const events = createPageEvents((error) => {
    throw error;
  });
  const clear = (appId?: string) => {
    for (const [i, entry] of [...entries.entries()].reverse())
      if (appId === undefined || entry.appId === appId) entries.splice(i, 1);
  };
  const stop = keepActivity({ add: (entry) => void entries.push(entry), clear }, { events, now: () => NOW });
  const call = (outcome: string, appId = APP) =>
    events.emit({
      ...{ type: 'call-log', at: NOW.toISOString(), appId, tool: 'add_note', asker: 'codex', ms: 5 },
      ...{ outcome, detail: 'in short' },
    });
  const runtime = (event: RuntimeEvent) => events.emit({ type: 'runtime', event });
  return { entries, call, runtime, stop, outcomes: () => entries.map(({ outcome }) => outcome) };
}

it('records calls and account changes of installed apps, and nothing else', () => {
  const { entries, call, runtime } = started();
  call('answered');
  runtime({ type: 'account-connected', appId: APP, accountId: 'notes' });
  runtime({ type: 'account-dropped', appId: APP, accountId: 'notes', reason: 'token s3cr3t was refused' });
  runtime({ type: 'call-ended', appId: APP, tool: 'add_note', callId: 'c', chat: 'chat-1' });
  call('not-installed', 'com.example.nobody');
  const ofAccount = { at: NOW.toISOString(), appId: APP, kind: 'account', name: 'notes', asker: null };
  expect(entries).toEqual([
    {
      ...{ at: NOW.toISOString(), appId: APP, kind: 'tool', name: 'add_note', asker: 'codex', ms: 5 },
      ...{ outcome: 'answered', detail: 'in short' },
    },
    { ...ofAccount, ms: null, outcome: 'connected', detail: '' },
    { ...ofAccount, ms: null, outcome: 'dropped', detail: '' },
  ]);
});

it('deletes the entries of an app when it is removed, and records none until it is installed again', () => {
  const { call, runtime, outcomes } = started();
  call('answered');
  call('answered', 'com.example.other');
  runtime({ type: 'app-removed', appId: APP, version: '1.0.0' });
  call('ended');
  runtime({ type: 'account-disconnected', appId: APP, accountId: 'notes' });
  expect(outcomes()).toEqual(['answered']);
  runtime({ type: 'app-installed', appId: APP, version: '1.0.0' });
  call('declined');
  expect(outcomes()).toEqual(['answered', 'declined']);
});

it('records nothing after it is stopped', () => {
  const { call, stop, outcomes } = started();
  stop();
  call('answered');
  expect(outcomes()).toEqual([]);
});

it('records what servers say without being asked', () => {
  const { entries, runtime } = started();
  runtime({ type: 'server-log', appId: APP, level: 'warning', text: 'Low on ink.' });
  runtime({ type: 'server-list-changed', appId: APP, list: 'prompts' });
  runtime({ type: 'server-repaired', appId: APP, what: 'The tool "a" was repaired.' });
  expect(entries.map(({ kind, name, outcome }) => [kind, name, outcome])).toEqual([
    ['server', 'Low on ink.', 'log: warning'],
    ['server', 'The server changed its prompts.', 'changed'],
    ['server', 'The tool "a" was repaired.', 'repaired'],
  ]);
});
