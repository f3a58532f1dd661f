import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore } from '../support/fake-store.ts';

const STATUS = {
  appId: 'com.example.tidy',
  version: '1.0.0',
  status: 'rejected',
  issues: [],
  notes: '',
  retracted: false,
};

const statusOf = async (record: unknown, ...args: string[]) => {
  const { url } = await fakeStore(answering(record));
  const { run } = await testCli({ SVC_STORE: `${url}/` });
  return run('status', 'com.example.tidy', '1.0.0', ...args);
};

it('shows state, notes and issues; lines of a note cannot pose as ours', async () => {
  const issues = [{ code: 'bundle.readme', level: 'warning', path: 'README.md', message: 'Add one.' }];
  const { code, out } = await statusOf({ ...STATUS, notes: 'Two things:\r\npublished  it', issues });
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'rejected  com.example.tidy 1.0.0',
      '  It will not be published. Change what the notes name and upload a greater version.',
      '  notes:',
      '    Two things:',
      '    published  it',
      '  warning  bundle.readme  README.md  Add one.',
      '',
    ].join('\n'),
  });
});

it('says why a version waits for a person, at what place, and until when', async () => {
  const review = { position: 3, of: 12, dueAt: '2026-03-04T10:00:00.000Z' };
  const { out } = await statusOf({ ...STATUS, status: 'in_review', reasons: ['first-version'], review });
  expect(out).toBe(
    [
      'in review  com.example.tidy 1.0.0',
      '  A person must look at it before it is published.',
      '    first-version: It is the first version of this app; a person looks at every first version.',
      '  place 3 of 12 in the queue, due by 2026-03-04T10:00:00.000Z',
      '',
    ].join('\n'),
  );
});

it('tells a version that was taken back from one that was rejected with the same note', async () => {
  const note = { ...STATUS, notes: 'withdrawn' };
  expect((await statusOf(note)).out).toMatch(/^rejected /);
  expect((await statusOf({ ...note, retracted: true })).out).toMatch(
    /^retracted .*\n {2}Its publisher took it back/,
  );
});

it('gives the record as it is', async () => {
  expect(await statusOf(STATUS, '--json')).toEqual({ code: 0, out: `${JSON.stringify(STATUS)}\n`, err: '' });
});
