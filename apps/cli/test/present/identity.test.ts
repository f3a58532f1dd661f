import { expect, it } from 'vitest';
import { fieldLines } from '../../src/present/fields.ts';
import { identityFields } from '../../src/present/identity.ts';
import { memoryTerminal } from '../support/command-context.ts';
import { WHO } from '../support/device-store.ts';

type Who = Parameters<typeof identityFields>[0];

const shown = (who: unknown) => fieldLines(memoryTerminal().terminal, identityFields(who as Who));

it('names the person, the publishers, and what the token may do', () => {
  expect(shown(WHO)).toBe(
    [
      '  as     Anna (anna@example.org)',
      '  for    example (member), other (member, not verified)',
      '  may    publish updates, withdraw versions',
      '  token  svc on laptop (device), id t-1',
      '  until  2026-04-02',
      '',
    ].join('\n'),
  );
});

it.each([
  {
    what: 'a person without a mail address',
    who: { ...WHO, person: { ...WHO.person, email: null } },
    says: 'as     Anna\n',
  },
  { what: 'a person without a publisher', who: { ...WHO, publishers: [] }, says: 'for    nothing\n' },
  { what: 'a token of a publisher', who: { ...WHO, person: undefined }, says: 'as     Example, Other\n' },
  {
    what: 'a token of no publisher at all',
    who: { ...WHO, person: undefined, publishers: [] },
    says: 'as     none\n',
  },
  { what: 'automation', who: { kind: 'automation', publishers: [] }, says: 'for  everything\n' },
  {
    what: 'a token that is bound',
    who: { ...WHO, token: { ...WHO.token, publisher: 'example', appId: 'com.example.tidy' } },
    says: 'only   example, com.example.tidy\n',
  },
  {
    what: 'a scope of a newer store',
    who: { ...WHO, token: { ...WHO.token, scopes: ['review:reply'] } },
    says: 'may    review:reply\n',
  },
])('tells $what', ({ who, says }) => {
  expect(shown(who)).toContain(says);
});

it('lets no name speak to the terminal', () => {
  const evil = { ...WHO, person: { id: 'p', name: 'Anna\u001b[2J\n  as  Root', email: '\u202egro' } };
  expect(shown(evil)).not.toMatch(/[^\n\P{C}]/u);
});
