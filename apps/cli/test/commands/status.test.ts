import { describe, expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore, type Handler } from '../support/fake-store.ts';

const STATUS = {
  appId: 'com.example.tidy',
  version: '1.0.0',
  status: 'rejected',
  issues: [],
  notes: '',
  retracted: false,
};

const unauthorized = { code: 'unauthorized', message: 'Send a token.', requestId: 'r' };

/** Returns a status, and the conversation to requests with a token. */
const statusAnd =
  (record: unknown, talk: unknown): Handler =>
  (request, response, body) => {
    if (!request.url?.endsWith('/messages')) return answering(record)(request, response, body);
    const isKnown = request.headers.authorization !== undefined;
    return answering(isKnown ? talk : unauthorized, isKnown ? 200 : 401)(request, response, body);
  };

const statusOf = async (record: unknown, ...args: string[]) => {
  const { url } = await fakeStore(statusAnd(record, null));
  const { run } = await testCli({ SVC_STORE: `${url}/` });
  return run('status', 'com.example.tidy', '1.0.0', ...args);
};

it('shows state, notes and issues, and indents the lines of notes', async () => {
  const issues = [{ code: 'bundle.readme', level: 'warning', path: 'README.md', message: 'Add one.' }];
  const { code, out } = await statusOf({ ...STATUS, notes: 'Two things:\r\npublished  it', issues });
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'rejected  com.example.tidy 1.0.0',
      '  It will not be published. Fix the problems in the notes and upload a greater version.',
      '  notes:',
      '    Two things:',
      '    published  it',
      '  warning  bundle.readme  README.md  Add one.',
      '',
    ].join('\n'),
  });
});

it('shows the review reasons, the place in the queue, and the due date', async () => {
  const review = { position: 3, of: 12, dueAt: '2026-03-04T10:00:00.000Z' };
  const { out } = await statusOf({ ...STATUS, status: 'in_review', reasons: ['first-version'], review });
  expect(out).toBe(
    [
      'in review  com.example.tidy 1.0.0',
      '  It waits for a moderator.',
      '    first-version: It is the first version of this app. Every first version is reviewed.',
      '  place 3 of 12 in the queue, due by 2026-03-04T10:00:00.000Z',
      '',
    ].join('\n'),
  );
});

it('distinguishes a retracted version from a rejected one with the same note', async () => {
  const note = { ...STATUS, notes: 'withdrawn' };
  expect((await statusOf(note)).out).toMatch(/^rejected /);
  expect((await statusOf({ ...note, retracted: true })).out).toMatch(
    /^retracted .*\n {2}Its publisher retracted it/,
  );
});

it('prints the record of the store with --json', async () => {
  expect(await statusOf(STATUS, '--json')).toEqual({ code: 0, out: `${JSON.stringify(STATUS)}\n`, err: '' });
});

describe('the conversation about a version in review', () => {
  const since = '2026-03-01T12:00:00.000Z';
  const record = { ...STATUS, status: 'in_review', changesRequestedAt: since };
  const message = { at: since, isYours: false, requestsChanges: false };
  const talk = {
    ...{
      appId: STATUS.appId,
      version: STATUS.version,
      status: 'in_review',
      changesRequestedAt: since,
      left: 99,
    },
    messages: [
      {
        ...message,
        ...{ number: 1, side: 'store', role: 'moderator', name: 'Anna', requestsChanges: true },
        text: 'Say why.\napproved  com.example.tidy',
      },
      { ...message, number: 2, side: 'publisher', role: 'automation', name: null, text: 'So.\u001b[2J' },
    ],
  };
  const run = async (token: string | null, ...args: string[]) => {
    const { url } = await fakeStore(statusAnd(record, talk));
    const cli = await testCli({ SVC_STORE: url, ...(token !== null && { SVC_TOKEN: token }) });
    return cli.run('status', 'com.example.tidy', '1.0.0', ...args);
  };

  it('is shown to users who may read it, with name and role, and indented', async () => {
    const { code, out } = await run('svc_token');
    expect(code).toBe(0);
    expect(out).toContain(
      [
        `  changes requested ${since}`,
        `  Anna (moderator of the store), ${since}, requests changes:`,
        '    Say why.',
        '    approved  com.example.tidy',
        `  automation, ${since}:`,
        '    So.',
      ].join('\n'),
    );
    expect(out).not.toContain('\u001b');
  });

  it('is not shown to others, except that changes are requested', async () => {
    const { code, out } = await run(null);
    expect(code).toBe(0);
    expect(out).toContain(
      `  changes requested ${since}\n  log in as a member of its publisher to read the messages`,
    );
    expect(out).not.toContain('Say why.');
  });

  it('is part of the record with --json', async () => {
    const { out } = await run('svc_token', '--json');
    expect(JSON.parse(out)).toEqual({ ...record, messages: talk.messages });
    expect(JSON.parse((await run(null, '--json')).out)).toEqual(record);
  });
});
