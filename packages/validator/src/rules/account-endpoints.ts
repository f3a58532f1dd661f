import { LIMITS } from '@svc/contracts/vocabulary';
import { judgeEndpoint } from '../hosts.ts';
import { repairSpace } from '../repairs.ts';
import { type Context, defineRule, type Repair, type Sample } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';

const account = {
  id: 'notes',
  label: 'Notes',
  authorizeUrl: 'https://login.example.com/authorize',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'notes-app',
  scopes: ['notes.read'],
} as const;

/** The public client, and the addresses of its sign-in. */
export const accountEndpointRules = [
  defineRule({
    code: 'accounts.authorizeUrl',
    level: 'error',
    target: 'account.authorizeUrl',
    message: (value) => addressText('authorizeUrl', value),
    why: 'People type their password there, so nobody on the way may read or change the page.',
    example: {
      path: '/accounts/0/authorizeUrl',
      broken: withFields({ authorizeUrl: 'http://login.example.com/authorize' }),
      fixed: withFields({ authorizeUrl: 'https://login.example.com/authorize' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  defineRule({
    code: 'accounts.authorizeUrl.localhost',
    level: 'warning',
    target: 'account.authorizeUrl',
    message: localhostText,
    why: 'A sign-in page on your own machine opens for nobody else.',
    example: {
      path: '/accounts/0/authorizeUrl',
      mode: 'dev',
      broken: withFields({ authorizeUrl: 'http://localhost:4000/authorize' }),
      fixed: withFields({ authorizeUrl: 'https://login.example.com/authorize' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'localhost',
  }),
  defineRule({
    code: 'accounts.tokenUrl',
    level: 'error',
    target: 'account.tokenUrl',
    message: (value) => addressText('tokenUrl', value),
    why: 'The code is exchanged there for tokens, and tokens open the account of the user.',
    example: {
      path: '/accounts/0/tokenUrl',
      broken: withFields({ tokenUrl: 'http://login.example.com/token' }),
      fixed: withFields({ tokenUrl: 'https://login.example.com/token' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  defineRule({
    code: 'accounts.tokenUrl.localhost',
    level: 'warning',
    target: 'account.tokenUrl',
    message: localhostText,
    why: 'A token server on your own machine answers nobody else.',
    example: {
      path: '/accounts/0/tokenUrl',
      mode: 'dev',
      broken: withFields({ tokenUrl: 'http://localhost:4000/token' }),
      fixed: withFields({ tokenUrl: 'https://login.example.com/token' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'localhost',
  }),
  defineRule({
    code: 'accounts.revokeUrl',
    level: 'error',
    target: 'account.revokeUrl',
    message: (value) => addressText('revokeUrl', value),
    why: 'The token itself is sent there when the user disconnects.',
    example: {
      path: '/accounts/0/revokeUrl',
      broken: withFields({ revokeUrl: 'http://login.example.com/revoke' }),
      fixed: withFields({ revokeUrl: 'https://login.example.com/revoke' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  defineRule({
    code: 'accounts.revokeUrl.localhost',
    level: 'warning',
    target: 'account.revokeUrl',
    message: localhostText,
    why: 'On the machine of a user nothing answers there, and the token would stay valid.',
    example: {
      path: '/accounts/0/revokeUrl',
      mode: 'dev',
      broken: withFields({ revokeUrl: 'http://localhost:4000/revoke' }),
      fixed: withFields({ revokeUrl: 'https://login.example.com/revoke' }),
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'localhost',
  }),
  defineRule({
    code: 'accounts.clientId',
    level: 'error',
    target: 'account.clientId',
    message: (value) => textFault('"clientId"', value, LIMITS.account.clientId),
    why: 'It tells the sign-in server which app asks. It is public; a secret has no place in a bundle.',
    example: {
      path: '/accounts/0/clientId',
      broken: withFields({ clientId: undefined }),
      fixed: withFields({ clientId: 'notes-app' }),
    },
    fails: (clientId) => !isText(clientId, LIMITS.account.clientId),
  }),
] as const;

/** The account of the examples with some fields changed. */
function withFields(fields: Readonly<Record<string, string | undefined>>): Sample {
  return { manifest: { accounts: [{ ...account, ...fields }] } };
}

function addressText(field: string, value: unknown): string {
  const given = value === undefined ? 'it is missing' : `not ${show(value)}`;
  return `"${field}" must be an https address of a full host name, with no user name and no fragment: ${given}.`;
}

function localhostText(value: unknown): string {
  return `${show(value)} is on your own machine: name a public https address before publishing.`;
}

function repairAddress(value: unknown, { localhost }: Context): Repair | undefined {
  return repairSpace(value, (url) => judgeEndpoint(url, localhost) !== 'refused');
}
