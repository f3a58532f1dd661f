import { LIMITS } from '@svc/contracts/vocabulary';
import { classifyEndpoint, isSameSite } from '../hosts.ts';
import { repairSpace } from '../repairs.ts';
import { type Context, errorRule, inObject, type Repair, warningRule } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { isFields, own } from '../values.ts';

const account = {
  id: 'notes',
  label: 'Notes',
  authorizeUrl: 'https://login.example.com/authorize',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'notes-app',
  scopes: ['notes.read'],
} as const;
const inAccount = inObject('/accounts/0', account, (entry) => ({ accounts: [entry] }));

/** The client id of an account, and the URLs of its sign-in. */
export const accountEndpointRules = [
  errorRule('accounts.authorizeUrl', 'account.authorizeUrl', {
    message: (value) => addressText('authorizeUrl', value),
    why: 'Users type their password on this page. Without https, an attacker on the network can read or change it.',
    example: inAccount('/authorizeUrl', { authorizeUrl: 'http://login.example.com/authorize' }),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  warningRule('accounts.authorizeUrl.localhost', 'account.authorizeUrl', {
    message: localhostText,
    why: 'Users cannot open a sign-in page on your machine.',
    example: inAccount('/authorizeUrl', { authorizeUrl: 'http://localhost:4000/authorize' }, {}, 'dev'),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'localhost',
  }),
  errorRule('accounts.tokenUrl', 'account.tokenUrl', {
    message: (value) => addressText('tokenUrl', value),
    why: 'The client exchanges the authorization code for tokens there. Tokens give access to the account of the user.',
    example: inAccount('/tokenUrl', { tokenUrl: 'http://login.example.com/token' }),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  warningRule('accounts.hosts', 'account', {
    message: (value) =>
      `Users sign in at another site than the one that issues their tokens, ${show(value)}: use the token endpoint of the same authorization server. If it is on another domain, reviewers must check it.`,
    why: 'An app that sends users to the sign-in page of another company, and their codes to a server of its own, would get their tokens.',
    example: inAccount(
      '/tokenUrl',
      { tokenUrl: 'https://tokens.other.example.net/token' },
      { tokenUrl: 'https://tokens.example.com/token' },
    ),
    fails: (account) => {
      if (!isFields(account) || own(account, 'auth') !== undefined) return false;
      const [authorizeUrl, tokenUrl] = [own(account, 'authorizeUrl'), own(account, 'tokenUrl')];
      return isSameSite(authorizeUrl, tokenUrl) ? false : [{ at: ['tokenUrl'], value: tokenUrl }];
    },
  }),
  warningRule('accounts.tokenUrl.localhost', 'account.tokenUrl', {
    message: localhostText,
    why: 'Clients of users cannot reach a token server on your machine.',
    example: inAccount('/tokenUrl', { tokenUrl: 'http://localhost:4000/token' }, {}, 'dev'),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'localhost',
  }),
  errorRule('accounts.revokeUrl', 'account.revokeUrl', {
    message: (value) => addressText('revokeUrl', value),
    why: 'The client sends the token there when the user disconnects the account.',
    example: inAccount(
      '/revokeUrl',
      { revokeUrl: 'http://login.example.com/revoke' },
      { revokeUrl: 'https://login.example.com/revoke' },
    ),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'refused',
    repair: repairAddress,
  }),
  warningRule('accounts.revokeUrl.localhost', 'account.revokeUrl', {
    message: localhostText,
    why: 'Clients of users cannot reach it, so the token would stay valid after the user disconnects.',
    example: inAccount(
      '/revokeUrl',
      { revokeUrl: 'http://localhost:4000/revoke' },
      { revokeUrl: 'https://login.example.com/revoke' },
      'dev',
    ),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'localhost',
  }),
  errorRule('accounts.clientId', 'account.clientId', {
    message: (value) => textFault('"clientId"', value, LIMITS.account.clientId),
    why: 'It identifies the app to the authorization server. It is public: a bundle must not contain a client secret.',
    example: inAccount('/clientId', { clientId: undefined }),
    fails: (clientId) => !isText(clientId, LIMITS.account.clientId),
  }),
] as const;

function addressText(field: string, value: unknown): string {
  const required = `an https URL with a full host name, without user name and fragment`;
  if (value === undefined) return `"${field}" is missing: write ${required}.`;
  return `"${field}" must be ${required}, not ${show(value)}.`;
}

function localhostText(value: unknown): string {
  return `${show(value)} is on your own machine: use a public https URL before you publish.`;
}

function repairAddress(value: unknown, { localhost }: Context): Repair | undefined {
  return repairSpace(value, (url) => classifyEndpoint(url, localhost) !== 'refused');
}
