import type { RuntimeEvent } from '@svc/runtime';
import { expect, it } from 'vitest';
import { keepActivity } from '../../src/activity/keep-activity.ts';
import type { NewEntry } from '../../src/activity/open-activity.ts';
import { createPageEvents } from '../../src/events/page-events.ts';

const APP = 'com.example.notes';
const START = new Date('2026-03-01T10:00:00Z');

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
  const begun: NewEntry[] = [];
  const stop = keepActivity(
    {
      add: (entry) => void entries.push(entry),
      begin(entry) {
        begun.push({ ...entry, ms: null, outcome: 'under-way', detail: '' });
        if (begun.at(-1)) entries.push(begun.at(-1) as NewEntry);
        return begun.length - 1;
      },
      end: (id, ended) => void Object.assign(begun[id] as NewEntry, ended),
      drop: (id) => void entries.splice(entries.indexOf(begun[id] as NewEntry), 1),
      clear,
      list: ({ appId, kind }) => ({
        entries: entries
          .flatMap((entry, id) => (entry.appId === appId && entry.kind === kind ? [{ ...entry, id }] : []))
          .reverse(),
        ...{ more: false, apps: [], outcomes: [], askers: [] },
      }),
    },
    { events, now: () => START },
  );
  const begin = (log: string, appId = APP) =>
    events.emit({
      ...{ type: 'call-begun', log, at: START.toISOString() },
      ...{ appId, tool: 'add_note', asker: 'codex', chat: 'c1' },
    });
  const call = (outcome: string, appId = APP) => {
    const log = String(begun.length);
    begin(log, appId);
    events.emit({
      ...{ type: 'call-log', log, at: START.toISOString(), appId, tool: 'add_note', asker: 'codex', ms: 5 },
      ...{ chat: 'c1', outcome, detail: 'in short' },
    });
  };
  const runtime = (event: RuntimeEvent) => events.emit({ type: 'runtime', event });
  return { entries, begin, call, runtime, stop, outcomes: () => entries.map(({ outcome }) => outcome) };
}

it('records calls and account changes of installed apps, and nothing else', () => {
  const { entries, call, runtime } = started();
  call('answered');
  runtime({ type: 'account-connected', appId: APP, accountId: 'notes' });
  runtime({ type: 'account-dropped', appId: APP, accountId: 'notes', reason: 'token s3cr3t was refused' });
  runtime({ type: 'call-ended', appId: APP, tool: 'add_note', callId: 'c', chat: 'chat-1' });
  call('not-installed', 'com.example.missing');
  const ofAccount = { at: START.toISOString(), appId: APP, kind: 'account', name: 'notes', asker: null };
  expect(entries).toMatchObject([
    {
      ...{ at: START.toISOString(), appId: APP, kind: 'tool', name: 'add_note', asker: 'codex', ms: 5 },
      ...{ outcome: 'answered', detail: 'in short' },
    },
    { ...ofAccount, ms: null, outcome: 'connected', detail: '' },
    { ...ofAccount, ms: null, outcome: 'dropped', detail: '' },
  ]);
});

it('records an update once: with its installation, or by itself', () => {
  const { entries, runtime } = started();
  const update = { type: 'app-updated', appId: APP, version: '1.1.0' } as const;
  runtime(update);
  expect(entries).toMatchObject([{ appId: APP, kind: 'install', name: '1.1.0', outcome: 'updated' }]);
  entries.push({
    ...{ at: START.toISOString(), appId: APP, kind: 'install', name: '1.2.0', outcome: 'under-way' },
    ...{ asker: null, chat: null, ms: null, detail: '' },
  });
  runtime({ ...update, version: '1.2.0' });
  expect(entries).toHaveLength(2);
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

it('records calls and sign-ins when they begin; a sign-in that has ended leaves what came of it', () => {
  const { begin, runtime, outcomes } = started();
  begin('a');
  runtime({ type: 'sign-in-started', appId: APP, accountId: 'notes' });
  expect(outcomes()).toEqual(['under-way', 'under-way']);
  runtime({ type: 'account-connected', appId: APP, accountId: 'notes' });
  runtime({ type: 'sign-in-ended', appId: APP, accountId: 'notes' });
  expect(outcomes()).toEqual(['under-way', 'connected']);
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

it('records each yank and its end once, although each start of the desktop emits the yanks in force', () => {
  const { entries, runtime } = started();
  const yanked = { type: 'app-yanked', appId: APP, version: '1.0.0', reason: 'It leaked.' } as const;
  runtime(yanked);
  runtime(yanked);
  runtime({ type: 'app-restored', appId: APP, version: '1.0.0', on: true });
  runtime(yanked);
  runtime({ type: 'app-restored', appId: APP, version: '1.0.0', on: false });
  expect(entries.map(({ kind, name, outcome }) => [kind, name, outcome])).toEqual([
    ['yank', '1.0.0: It leaked.', 'yanked'],
    ['yank', '1.0.0', 'restored'],
    ['yank', '1.0.0: It leaked.', 'yanked'],
    ['yank', '1.0.0', 'unyanked'],
  ]);
});
