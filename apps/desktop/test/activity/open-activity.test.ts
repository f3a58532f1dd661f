import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { defaultSystem } from '@svc/runtime';
import { DEEP } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type NewEntry, openActivity } from '../../src/activity/open-activity.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.parse('2026-03-01T10:00:00Z');
const APP = 'com.example.notes';

const entry = (changes: Partial<NewEntry> = {}): NewEntry => ({
  ...{ at: new Date(NOW).toISOString(), appId: 'com.example.notes', kind: 'tool', name: 'add_note' },
  ...{ asker: 'claude-code', chat: null, ms: 12, waitedMs: 5, outcome: 'answered', detail: '' },
  ...changes,
});

/** An entry of what no user was asked for. */
const unwaited = ({ waitedMs: _, ...rest }: NewEntry): NewEntry => rest;

/** Opens the activity of a folder, and closes it after the test. */
function open(folder: string, now = () => NOW, faults: unknown[] = []) {
  const activity = openActivity({ now, randomBytes: defaultSystem.randomBytes }, folder, (fault) =>
    faults.push(fault),
  );
  let isOpen = true;
  const close = () => {
    if (isOpen) activity.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...activity, close };
}

const namesIn = ({ list }: Pick<ReturnType<typeof open>, 'list'>) => list({}).entries.map(({ name }) => name);

/** The raw contents of all files in a folder. */
async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  const all = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')));
  return all.join('\n');
}

it('keeps entries across restarts, newest first, but without the sent data and results', async () => {
  const folder = await tempFolder();
  const first = open(folder);
  const secret = 'my diary says: plain words';
  first.add(entry({ detail: `{"text":"${secret}"} → Saved.` }));
  const ofAccount = { kind: 'account', name: 'notes', asker: null, ms: null, outcome: 'connected' } as const;
  first.add(unwaited(entry(ofAccount)));
  expect(first.list({}).entries.map(({ detail }) => detail)).toEqual(['', `{"text":"${secret}"} → Saved.`]);
  expect(await bytesIn(folder)).not.toContain('diary');
  first.close();
  expect(await bytesIn(folder)).not.toContain('diary');
  expect(open(folder).list({})).toEqual({
    entries: [
      { ...unwaited(entry(ofAccount)), id: 2 },
      { ...entry(), id: 1 },
    ],
    more: false,
    apps: ['com.example.notes'],
    outcomes: ['answered', 'connected'],
    askers: ['claude-code'],
  });
});

it('is readable by its owner only', async () => {
  const folder = await tempFolder();
  open(folder).add(entry());
  const names = await readdir(folder);
  expect(names).toEqual(expect.arrayContaining(['calls.sqlite', 'calls.sqlite-wal']));
  const modes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).mode));
  expect(modes.map((mode) => mode & 0o777)).toEqual(names.map(() => 0o600));
});

it('lists page by page without duplicates or gaps, and filters by app, kind and outcome', async () => {
  const activity = open(await tempFolder());
  for (let i = 1; i <= 450; i += 1) activity.add(entry({ appId: i % 9 === 0 ? 'b' : 'a', name: `t${i}` }));
  const names: string[] = [];
  for (let before: number | undefined, more = true; more; ) {
    const page = activity.list(before === undefined ? {} : { before });
    names.push(...page.entries.map(({ name }) => name));
    ({ more } = page);
    before = page.entries.at(-1)?.id;
  }
  expect(names).toEqual(Array.from({ length: 450 }, (_, i) => `t${450 - i}`));
  const some = activity.list({ appId: 'b' });
  expect(some).toMatchObject({ more: false, apps: ['a', 'b'] });
  expect(some.entries).toHaveLength(50);
  const of = { kind: 'account', name: 'notes', outcome: 'connected' } as const;
  activity.add(entry(of));
  activity.add(entry({ outcome: 'declined' }));
  expect(activity.list({ kind: 'account' }).entries).toMatchObject([of]);
  expect(activity.list({ outcome: 'declined' })).toMatchObject({
    entries: [{ outcome: 'declined' }],
    outcomes: ['answered', 'connected', 'declined'],
  });
  expect(activity.list({ kind: 'account', outcome: 'declined' }).entries).toEqual([]);
});

it('answers what an app did on a day, for one caller, and in one conversation', async () => {
  const activity = open(await tempFolder());
  const at = (hours: number) => new Date(NOW + hours * 60 * 60_000).toISOString();
  activity.add(entry({ at: at(-30), name: 'earlier' }));
  activity.add(entry({ at: at(-24), name: 'by an agent' }));
  activity.add(entry({ at: at(-23), name: 'in a chat', asker: 'desktop', chat: 'c1' }));
  activity.add(
    entry({ at: at(-22), name: 'of another', appId: 'com.example.maps', asker: 'desktop', chat: 'c1' }),
  );
  activity.add(entry({ at: at(0), name: 'today' }));
  const names = (filter: Parameters<typeof activity.list>[0]) =>
    activity.list(filter).entries.map(({ name }) => name);
  const day = { from: at(-25), to: at(-1) };
  expect(names({ appId: APP, ...day })).toEqual(['in a chat', 'by an agent']);
  expect(names({ asker: 'desktop' })).toEqual(['of another', 'in a chat']);
  expect(names({ chat: 'c1', appId: APP })).toEqual(['in a chat']);
  // In the ids of the log, and in names that only manifests have.
  expect(names({ text: 'MAPS' })).toEqual(['of another']);
  expect(names({ text: 'agent' })).toEqual(['by an agent']);
  expect(names({ text: '%' })).toEqual([]);
  const like = { apps: ['com.example.maps'], parts: [`${APP} today`] };
  expect(activity.list({ text: 'atlas' }, like).entries.map(({ name }) => name)).toEqual([
    'today',
    'of another',
  ]);
  expect(activity.list({}).askers).toEqual(['claude-code', 'desktop']);
});

it('keeps at most 5,000 entries, for at most 90 days', async () => {
  const folder = await tempFolder();
  let now = NOW;
  const activity = open(folder, () => now);
  for (let i = 1; i <= 5_200; i += 1) activity.add(entry({ name: `t${i}` }));
  const all: string[] = [];
  for (let before: number | undefined, more = true; more; ) {
    const page = activity.list(before === undefined ? {} : { before });
    all.push(...page.entries.map(({ name }) => name));
    ({ more } = page);
    before = page.entries.at(-1)?.id;
  }
  expect([all.length, all[0], all.at(-1)]).toEqual([5_000, 't5200', 't201']);
  activity.add(entry({ at: new Date(NOW + 2 * DAY_MS).toISOString(), name: 'late' }));
  now = NOW + 91 * DAY_MS;
  // Expired entries are hidden immediately, and deleted at the next start.
  expect(namesIn(activity)).toEqual(['late']);
  activity.close();
  const again = open(folder, () => now);
  now = NOW;
  expect(namesIn(again)).toEqual(['late']);
});

it('clears one app or all, and leaves no trace in the files', async () => {
  const folder = await tempFolder();
  const activity = open(folder);
  activity.add(entry({ appId: 'com.example.kept', detail: 'kept' }));
  activity.add(entry({ name: 'embarrassing', detail: 'sent' }));
  activity.clear('com.example.notes');
  expect(activity.list({})).toMatchObject({ entries: [{ detail: 'kept' }], apps: ['com.example.kept'] });
  expect(await bytesIn(folder)).not.toContain('embarrassing');
  activity.clear();
  expect(activity.list({})).toEqual({ entries: [], more: false, apps: [], outcomes: [], askers: [] });
  expect(await bytesIn(folder)).not.toContain('com.example.kept');
  // A later entry does not get the detail of a deleted one.
  activity.add(entry());
  expect(activity.list({}).entries).toEqual([{ ...entry(), id: 3 }]);
});

it('drops only the last entry when it was written partially', async () => {
  const [folder, copy] = [await tempFolder(), await tempFolder()];
  const activity = open(folder);
  for (const name of ['first', 'second', 'third']) activity.add(entry({ name }));
  // As after a power cut: the database was not closed, and its last write is incomplete.
  for (const name of ['calls.sqlite', 'calls.sqlite-wal'])
    await copyFile(path.join(folder, name), path.join(copy, name));
  const log = path.join(copy, 'calls.sqlite-wal');
  await truncate(log, (await stat(log)).size - 7);
  const faults: unknown[] = [];
  const torn = open(copy, undefined, faults);
  expect(namesIn(torn)).toEqual(['second', 'first']);
  torn.add(entry({ name: 'fourth' }));
  torn.close();
  expect(namesIn(open(copy, undefined, faults))).toEqual(['fourth', 'second', 'first']);
  expect(faults).toEqual([]);
});

it('keeps all entries that were added before its process was killed', DEEP, async () => {
  const folder = await tempFolder();
  const source = pathToFileURL(path.join(import.meta.dirname, '../../src/activity/open-activity.ts')).href;
  const program = `
    import { openActivity } from ${JSON.stringify(source)};
    const system = { now: () => ${NOW}, randomBytes: () => new Uint8Array([1]) };
    const activity = openActivity(system, ${JSON.stringify(folder)}, () => {});
    for (let i = 1; ; i += 1) {
      activity.add(${JSON.stringify(entry())});
      process.stdout.write(i + '\\n');
      await new Promise((resolve) => setImmediate(resolve));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said = Number(line);
    if (said === 40) child.kill('SIGKILL');
  }
  const [newest] = open(folder).list({}).entries;
  expect(said).toBeGreaterThanOrEqual(40);
  // The last entries may be missing from the output: a busy reader reads late, and unread output can be lost with its writer.
  expect(newest?.id).toBeGreaterThanOrEqual(said);
});

it('has calls, sign-ins and installations before they end; those of a killed process are interrupted', async () => {
  const folder = await tempFolder();
  const source = pathToFileURL(path.join(import.meta.dirname, '../../src/activity/open-activity.ts')).href;
  const kinds = ['tool', 'account', 'install'];
  const program = `
    import { openActivity } from ${JSON.stringify(source)};
    const system = { now: () => ${NOW}, randomBytes: () => new Uint8Array([1]) };
    const activity = openActivity(system, ${JSON.stringify(folder)}, () => {});
    const entry = ${JSON.stringify({ at: new Date(NOW).toISOString(), appId: APP, asker: 'desktop', chat: null })};
    for (const kind of ${JSON.stringify(kinds)}) activity.begin({ ...entry, kind, name: kind });
    activity.end(activity.begin({ ...entry, kind: 'tool', name: 'ended' }), { appId: entry.appId, ms: 1, outcome: 'answered', detail: '' });
    process.stdout.write('begun\\n');
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const _line of createInterface({ input: child.stdout })) break;
  const activity = open(folder);
  const outcomes = () => activity.list({}).entries.map(({ name, outcome }) => `${name} ${outcome}`);
  // The other process is alive: what it began is under way.
  expect(outcomes()).toEqual(['ended answered', 'install under-way', 'account under-way', 'tool under-way']);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(outcomes()).toEqual(['ended answered', ...kinds.toReversed().map((kind) => `${kind} interrupted`)]);
});

it('is shared by two instances that have it open at the same time', async () => {
  const folder = await tempFolder();
  const [one, other] = [open(folder), open(folder)];
  for (let i = 0; i < 20; i += 1) (i % 2 === 0 ? one : other).add(entry({ name: `t${i}` }));
  expect(namesIn(one)).toHaveLength(20);
  expect(namesIn(one)).toEqual(namesIn(other));
  one.clear();
  expect(namesIn(other)).toEqual([]);
});

it.each(['no database at all, but a text that is longer than a header of one', ''])(
  'starts without entries when the file is corrupt or empty, and renames a corrupt one (%j)',
  async (text) => {
    const folder = await tempFolder();
    const file = path.join(folder, 'calls.sqlite');
    await writeFile(file, text.repeat(40));
    const faults: Error[] = [];
    const activity = open(folder, undefined, faults);
    activity.add(entry());
    expect(namesIn(activity)).toEqual(['add_note']);
    // An empty file is a valid database without entries.
    expect(faults.map(({ message }) => message)).toEqual(
      text === '' ? [] : [expect.stringContaining('calls.sqlite.unreadable')],
    );
    if (text !== '') expect(await readFile(`${file}.unreadable`, 'utf8')).toBe(text.repeat(40));
  },
);
