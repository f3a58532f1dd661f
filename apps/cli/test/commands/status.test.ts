import { expect, it } from 'vitest';
import { answering, fakeStore } from '../support/fake-store.ts';
import { testCli } from '../support/world.ts';

const STATUS = { appId: 'com.example.tidy', version: '1.0.0', status: 'rejected', issues: [], notes: '' };

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

it('gives the record as it is', async () => {
  expect(await statusOf(STATUS, '--json')).toEqual({ code: 0, out: `${JSON.stringify(STATUS)}\n`, err: '' });
});
