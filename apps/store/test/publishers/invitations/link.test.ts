import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMac } from '../../../src/platform/secret.ts';
import { invitationLinks } from '../../../src/publishers/invitations/link.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const linksFor = (purpose: string) => invitationLinks('https://store.test', createMac(privateKey, purpose));

describe('the link of an invitation', () => {
  const links = linksFor('invitation');
  const link = links.url('one').slice('https://store.test/invitations/'.length);

  it('leads back to its id', () => {
    expect(links.idIn(link)).toBe('one');
  });

  it.each([
    ['without its seal', 'one'],
    ['with an empty seal', 'one.'],
    ['with nothing', ''],
    ['with a dot alone', '.'],
    ['with the seal of another', `two${link.slice(3)}`],
    ['with a seal that is cut', link.slice(0, -1)],
    ['with a seal that goes on', `${link}A`],
    ['with two seals', `${link}${link.slice(3)}`],
    [
      'with a seal for another purpose',
      linksFor('device').url('one').slice('https://store.test/invitations/'.length),
    ],
  ])('leads nowhere %s', (_what, forged) => {
    expect(links.idIn(forged)).toBeNull();
  });
});
