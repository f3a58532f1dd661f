import { CLIENT_PARAMETERS, LIMITS } from '@svc/contracts/vocabulary';
import { isName } from '../ids.ts';
import { repairFlag } from '../repairs.ts';
import { errorRule, inManifest, inObject, type Repair } from '../rule.ts';
import { didYouMean, isText, namesOf, repairName, show, textFault } from '../text.ts';
import { badItems, isFields, own, repeats } from '../values.ts';

/** A scope name (RFC 6749 section 3.3): visible ASCII except the quote and the backslash, no spaces. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const AUTH_NAMES = namesOf(['mcp']);

/** A valid account, for the examples. */
const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] } as const;
const { label: _label, ...unlabelled } = account;
const inAccount = inObject('/accounts/0', account, (entry) => ({ accounts: [entry] }));

/** The fields of an account, except its URLs, which are in account-endpoints.ts. */
export const accountRules = [
  errorRule('accounts.format', 'accounts', {
    message: (value) =>
      `"accounts" must be a list, not ${show(value)}. Remove it if the app has no accounts.`,
    why: 'An app may declare several accounts; tools refer to them by their ids.',
    example: inManifest('/accounts', { accounts: account }, { accounts: [account] }),
    fails: (accounts) => accounts !== undefined && !Array.isArray(accounts),
  }),
  errorRule('accounts.item', 'account', {
    message:
      'An account must be an object with "id", "label" and "scopes"; "required" is optional and must be true or false.',
    why: 'The client connects, shows and disconnects each account separately.',
    example: inManifest('/accounts/0', { accounts: ['notes'] }, { accounts: [account] }),
    fails: (value) => {
      if (!isFields(value)) return true;
      const required = own(value, 'required');
      if (required === undefined || typeof required === 'boolean') return false;
      return [{ at: ['required'], value: required }];
    },
    repair: (value, _context, { step }) => (step === 'required' ? repairFlag(value) : undefined),
  }),
  errorRule('accounts.id', 'account.id', {
    message: (value) =>
      `An account id must consist of lowercase letters, digits and "_", and begin with a letter, such as "notes", not ${show(value)}.`,
    why: 'Tools refer to the account by its id, and the id is part of the signed permissions.',
    example: inAccount('/id', { id: 'My Notes' }, { id: 'my_notes' }),
    fails: (id) => !isName(id),
  }),
  errorRule('accounts.duplicate', 'accounts.list', {
    message: (value) => `Two accounts have the id ${show(value)}: use a unique id for each.`,
    why: 'If two accounts have the same id, a tool could get the token of the wrong one.',
    example: inManifest(
      '/accounts/1/id',
      { accounts: [account, account] },
      { accounts: [account, { ...account, id: 'archive' }] },
    ),
    fails: (accounts) => repeats(accounts, idOf, 'id'),
  }),
  errorRule('accounts.label', 'account.label', {
    message: (value) => textFault('"label"', value, LIMITS.account.label),
    why: 'Users read it on the Connect button.',
    example: inManifest('/accounts/0/label', { accounts: [unlabelled] }, { accounts: [account] }),
    fails: (label) => !isText(label, LIMITS.account.label),
  }),
  errorRule('accounts.auth', 'account.auth', {
    message: (value) => `"auth" must be "mcp" or absent, not ${show(value)}.${didYouMean(value, AUTH_NAMES)}`,
    why: 'The client finds the authorization server in one of two ways: through the MCP server, or by the URLs in the manifest.',
    example: inAccount('/auth', { auth: 'oauth' }),
    fails: (auth) => auth !== undefined && auth !== 'mcp',
    repair: (value) => repairName(value, AUTH_NAMES),
  }),
  // In store mode this is reported in addition to remote.missing: it says what needs the missing URL.
  errorRule('accounts.auth.remote', 'account.auth', {
    message: 'An account with "auth": "mcp" needs an MCP server: set "remote.mcpUrl".',
    why: 'The client asks the MCP server for the authorization server.',
    example: inManifest(
      '/accounts/0/auth',
      { accounts: [account], remote: undefined },
      { accounts: [account], remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: [] } },
      'dev',
    ),
    fails: (auth, { facts }) => auth === 'mcp' && !facts.hasMcpUrl,
  }),
  errorRule('accounts.scopes', 'account.scopes', {
    message:
      '"scopes" must be a list of scope names without spaces, such as ["notes.read"]. Write [] for no scopes.',
    why: 'Scopes are compared one by one to find what an update adds. Two scopes in one string could not be compared.',
    example: inAccount('/scopes', { scopes: 'notes.read' }, { scopes: ['notes.read'] }),
    fails: (scopes) => badItems(scopes, isScope),
    repair: (value, _context, { step }) => (step === 'scopes' ? repairScopes(value) : undefined),
  }),
  errorRule('accounts.params', 'account.params', {
    message: '"params" must be an object with string values.',
    why: 'The parameters become part of the URL of the sign-in page, where every value is text.',
    example: inAccount('/params/max_age', { params: { max_age: 60 } }, { params: { max_age: '60' } }),
    fails: (params) => {
      if (params === undefined) return false;
      if (!isFields(params)) return true;
      const entries = Object.entries(params).filter(([, value]) => typeof value !== 'string');
      return entries.map(([name, value]) => ({ at: [name], value }));
    },
    // In a URL a whole number and its text are the same. Other values have no single text form.
    repair: (value) =>
      Number.isSafeInteger(value) || typeof value === 'boolean' ? { put: String(value) } : undefined,
  }),
  errorRule('accounts.params.reserved', 'account.param', {
    message: (value) => `The client sets ${show(value)} itself: remove it from "params".`,
    why: 'These parameters control where the authorization code is sent and for which client. An app that sets them could take over the sign-in.',
    example: inAccount('/params/state', { params: { state: 'fixed' } }, { params: { prompt: 'consent' } }),
    fails: (name) => CLIENT_PARAMETERS.has(name.toLowerCase()),
  }),
] as const;

function idOf(value: unknown): string | undefined {
  const id = isFields(value) ? own(value, 'id') : undefined;
  return isName(id) ? id : undefined;
}

function isScope(value: unknown): boolean {
  return typeof value === 'string' && SCOPE.test(value);
}

/**
 * Splits scopes that are written as one string with spaces (RFC 6749 section 3.3). A missing list is not repaired: with no
 * scope requested, a server may grant all of them.
 */
function repairScopes(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const scopes = value.split(' ').filter((scope) => scope !== '');
  return scopes.length > 0 && scopes.every(isScope) ? { put: scopes } : undefined;
}
