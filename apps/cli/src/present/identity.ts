import type { WhoAmI } from '@svc/contracts';
import type { Field } from './fields.ts';

/** What the scopes of a token let it do. A newer store may know others. */
const SCOPES: Readonly<Record<string, string>> = {
  'publish:new': 'publish new apps',
  'publish:update': 'publish updates',
  yank: 'withdraw versions',
  status: 'see how versions fare',
  read: 'see and download apps',
};

type Publisher = WhoAmI['publishers'][number];

const publisherText = ({ slug, role, verified }: Publisher): string =>
  `${slug} (${role}${verified ? '' : ', not verified'})`;

function nameOf({ kind, person, publishers }: WhoAmI): string {
  if (person) return person.email === null ? person.name : `${person.name} (${person.email})`;
  if (kind === 'automation') return 'the automation of the store';
  return publishers.map(({ name }) => name).join(', ') || 'none';
}

/** Whom a store takes a token for, and what that lets it do. */
export function identityFields(who: WhoAmI): Field[] {
  const { token } = who;
  return [
    ['as', nameOf(who)],
    ['for', who.kind === 'automation' ? 'everything' : who.publishers.map(publisherText)],
    ['may', token?.scopes.map((scope) => SCOPES[scope] ?? scope)],
    ['only', [token?.publisher, token?.appId].filter((part) => part !== undefined).join(', ') || undefined],
    ['token', token && `${token.name} (${token.kind}), id ${token.id}`],
    ['until', token?.expiresAt.slice(0, 'YYYY-MM-DD'.length)],
  ];
}
