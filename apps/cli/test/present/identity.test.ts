import { expect, it } from 'vitest';
import { identityFields } from '../../src/present/identity.ts';
import { fieldLines } from '../../src/present/text.ts';
import { memoryTerminal } from '../support/command-context.ts';
import { WHO } from '../support/device-store.ts';

type Who = Parameters<typeof identityFields>[0];

const shown = (who: unknown) => fieldLines(memoryTerminal().terminal, identityFields(who as Who));

it('shows the account, the publishers, and the scopes of the token', () => {
  expect(shown(WHO)).toBe(
    [
      '  account     Anna (anna@example.org)',
      '  publishers  example (member), other (member, not verified)',
      '  scopes      publish updates, yank versions',
      '  token       svc on laptop (device), id t-1',
      '  expires     2026-04-02',
      '',
    ].join('\n'),
  );
});

it.each([
  {
    what: 'a person without a mail address',
    who: { ...WHO, person: { ...WHO.person, email: null } },
    says: 'account     Anna\n',
  },
  { what: 'a person without a publisher', who: { ...WHO, publishers: [] }, says: 'publishers  none\n' },
  {
    what: 'a token of a publisher',
    who: { ...WHO, person: undefined },
    says: 'account     Example, Other\n',
  },
  {
    what: 'a token of no publisher at all',
    who: { ...WHO, person: undefined, publishers: [] },
    says: 'account     none\n',
  },
  { what: 'automation', who: { kind: 'automation', publishers: [] }, says: 'publishers  all\n' },
  {
    what: 'a token that is bound',
    who: { ...WHO, token: { ...WHO.token, publisher: 'example', appId: 'com.example.tidy' } },
    says: 'limited to  example, com.example.tidy\n',
  },
  {
    what: 'a scope of a newer store',
    who: { ...WHO, token: { ...WHO.token, scopes: ['review:reply'] } },
    says: 'scopes      review:reply\n',
  },
])('shows $what', ({ who, says }) => {
  expect(shown(who)).toContain(says);
});

it('escapes names', () => {
  const evil = { ...WHO, person: { id: 'p', name: 'Anna\u001b[2J\n  as  Root', email: '\u202egro' } };
  expect(shown(evil)).not.toMatch(/[^\n\P{C}]/u);
});
