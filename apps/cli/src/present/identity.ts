import type { WhoAmI } from '@svc/contracts';
import type { Field } from './text.ts';

/** The scopes of a token in words. A newer store may have others. */
const SCOPES: Readonly<Record<string, string>> = {
  'publish:new': 'publish new apps',
  'publish:update': 'publish updates',
  yank: 'yank versions',
  status: 'read the status of versions',
  read: 'read and download apps',
};

type Publisher = WhoAmI['publishers'][number];

const publisherText = ({ slug, role, verified }: Publisher): string =>
  `${slug} (${role}${verified ? '' : ', not verified'})`;

function nameOf({ kind, person, publishers }: WhoAmI): string {
  if (person) return person.email === null ? person.name : `${person.name} (${person.email})`;
  if (kind === 'automation') return 'the automation of the store';
  return publishers.map(({ name }) => name).join(', ') || 'none';
}

/** The account and the scopes of a token, as fields. */
export function identityFields(who: WhoAmI): Field[] {
  const { token } = who;
  return [
    ['account', nameOf(who)],
    ['publishers', who.kind === 'automation' ? 'all' : who.publishers.map(publisherText)],
    ['scopes', token?.scopes.map((scope) => SCOPES[scope] ?? scope)],
    [
      'limited to',
      [token?.publisher, token?.appId].filter((part) => part !== undefined).join(', ') || undefined,
    ],
    ['token', token && `${token.name} (${token.kind}), id ${token.id}`],
    ['expires', token?.expiresAt.slice(0, 'YYYY-MM-DD'.length)],
  ];
}
