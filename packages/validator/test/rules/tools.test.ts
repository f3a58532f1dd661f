import { describe, expect, it } from 'vitest';
import { findings, letters } from '../support.ts';

const tool = { id: 'find', name: 'Find', description: 'Finds notes.' };
const AT = '/contributes/tools';
const found = (...tools: unknown[]) => findings({ contributes: { tools } });

describe('tools', () => {
  it('is a list of objects', () => {
    expect(findings({ contributes: { tools: {} } })).toEqual([`tools.format ${AT}`]);
    expect(found(tool, 'x', [])).toEqual([`tools.item ${AT}/1`, `tools.item ${AT}/2`]);
  });

  it.each(['a', 'constructor', 'to_string', letters(48)])('accepts the id %s', (id) =>
    expect(found({ ...tool, id })).toEqual([]),
  );
  it.each(['', 'A', '1a', '_a', '__proto__', 'a-b', 'a.b', letters(49), 7, undefined])(
    'refuses the id %j',
    (id) => expect(found({ ...tool, id })).toEqual([`tools.id ${AT}/0/id`]),
  );

  it('reports each repeated id', () =>
    expect(found(tool, tool, { ...tool, id: 'b' }, tool)).toEqual([
      `tools.duplicate ${AT}/1/id`,
      `tools.duplicate ${AT}/3/id`,
    ]));

  it('has a name of 1 to 60 and a description of 1 to 1024 characters', () => {
    expect(found({ ...tool, name: letters(60), description: letters(1024) })).toEqual([]);
    expect(found({ ...tool, name: letters(61), description: letters(1025) })).toEqual([
      `tools.name ${AT}/0/name`,
      `tools.description ${AT}/0/description`,
    ]);
  });
});

describe('confirm', () => {
  const confirmed = (confirm: unknown) => found({ ...tool, confirm });
  it('has a title of 1 to 120 characters', () => {
    expect(confirmed({ title: letters(120), body: '', action: 'Go' })).toEqual([]);
    expect(confirmed({ title: letters(121) })).toEqual([`tools.confirm ${AT}/0/confirm/title`]);
    expect(confirmed({ title: '' })).toEqual([`tools.confirm ${AT}/0/confirm/title`]);
    expect(confirmed({})).toEqual([`tools.confirm ${AT}/0/confirm`]);
    expect(confirmed(true)).toEqual([`tools.confirm ${AT}/0/confirm`]);
    expect(confirmed({ title: 'A', body: 1, action: 2 })).toEqual([
      `tools.confirm ${AT}/0/confirm/body`,
      `tools.confirm ${AT}/0/confirm/action`,
    ]);
  });
});

describe('account', () => {
  const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] };
  const using = (id: unknown, accounts?: unknown) =>
    findings({ contributes: { tools: [{ ...tool, account: id }] }, accounts });

  it('must be a declared account', () => {
    expect(using('notes', [account])).toEqual([]);
    expect(using('other', [account])).toEqual([`tools.account ${AT}/0/account`]);
    expect(using('notes')).toEqual([`tools.account ${AT}/0/account`]);
    expect(using('constructor', [])).toEqual([`tools.account ${AT}/0/account`]);
    expect(using(7, [])).toEqual([`tools.account ${AT}/0/account`]);
  });

  it('is not reported when accounts is malformed', () =>
    expect(using('notes', 'notes')).toEqual(['accounts.format /accounts']));
});
