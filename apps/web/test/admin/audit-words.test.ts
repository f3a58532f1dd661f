import { describe, expect, it } from 'vitest';
import { actionWords, personIn } from '../../src/admin/audit-words.ts';

describe('the words of the audit log', () => {
  it.each([
    ['publisher.change', { suspended: true, reason: 'It sends notes.' }, 'suspended a publisher'],
    ['publisher.change', { suspended: false }, 'unsuspended a publisher'],
    ['publisher.change', { verified: true }, 'verified a publisher'],
    ['publisher.change', { website: 'https://example.com' }, 'edited a publisher'],
    ['person.change', { person: 'p', suspended: true, sessionsEnded: 2 }, 'suspended a user'],
    ['person.change', { person: 'p', role: 'administrator' }, 'made a user administrator'],
    ['person.change', { person: 'p', name: 'New' }, 'changed an account'],
    ['member.change', { personId: 'p', role: 'owner' }, 'made a user owner'],
    ['member.add', { personId: 'p', role: 'owner' }, 'added an owner'],
    ['publisher.transfer', { to: 'p' }, 'transferred a publisher'],
  ] as const)('say of %s with %j what happened', (action, detail, words) => {
    expect(actionWords({ action, detail })).toBe(words);
  });

  it('name the user whom an action changed', () => {
    expect(personIn({ action: 'member.change', detail: { personId: 'p', role: 'owner' } })).toBe('p');
    expect(personIn({ action: 'publisher.transfer', detail: { to: 'p' } })).toBe('p');
    expect(personIn({ action: 'person.change', detail: { person: 'p' } })).toBe('p');
    // The moderator to whom a version is assigned is on record with a prefix, and has a name already.
    expect(personIn({ action: 'version.assign', detail: { to: 'person:p' } })).toBeNull();
  });
});
