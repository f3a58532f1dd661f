import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invitationLinks } from '../../../../src/features/publishers/invitations/link.ts';
import { createMac } from '../../../../src/platform/secret.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const linksFor = (purpose: string) => invitationLinks('https://store.test', createMac(privateKey, purpose));

describe('the link of an invitation', () => {
  const links = linksFor('invitation');
  const link = links.url('one').slice('https://store.test/invitations/'.length);

  it('contains the id of the invitation', () => {
    expect(links.idIn(link)).toBe('one');
  });

  it.each([
    ['without its MAC', 'one'],
    ['with an empty MAC', 'one.'],
    ['when it is empty', ''],
    ['with only a dot', '.'],
    ['with the MAC of another id', `two${link.slice(3)}`],
    ['with a truncated MAC', link.slice(0, -1)],
    ['with an extended MAC', `${link}A`],
    ['with two MACs', `${link}${link.slice(3)}`],
    [
      'with a MAC for another purpose',
      linksFor('device').url('one').slice('https://store.test/invitations/'.length),
    ],
  ])('is invalid %s', (_what, forged) => {
    expect(links.idIn(forged)).toBeNull();
  });
});
