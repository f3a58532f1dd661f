import { CLIENT_PARAMETERS, LIMITS } from '@svc/contracts/vocabulary';
import { isName } from '../ids.ts';
import { didYouMean, namesOf, repairName } from '../names.ts';
import { repairFlag } from '../repairs.ts';
import { defineRule, type Repair } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { badItems, isFields, own, repeats } from '../values.ts';

/** Scope names as RFC 6749 section 3.3 has them: visible ASCII but for the quote and the backslash, no spaces. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const AUTH_NAMES = namesOf(['mcp']);

/** An account without a fault, for the examples. */
const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] } as const;
const { label: _label, ...unlabelled } = account;

/** What an account declares about itself; its addresses are in account-endpoints.ts. */
export const accountRules = [
  defineRule({
    code: 'accounts.format',
    level: 'error',
    target: 'accounts',
    message: (value) => `"accounts" must be a list, not ${show(value)}; leave it out when there are none.`,
    why: 'An app may declare several accounts; tools refer to them by their ids.',
    example: {
      path: '/accounts',
      broken: { manifest: { accounts: account } },
      fixed: { manifest: { accounts: [account] } },
    },
    fails: (accounts) => accounts !== undefined && !Array.isArray(accounts),
  }),
  defineRule({
    code: 'accounts.item',
    level: 'error',
    target: 'account',
    message:
      'An account must be an object with "id", "label" and "scopes"; its "required", when given, is true or false.',
    why: 'Each account is signed in to, shown and revoked on its own.',
    example: {
      path: '/accounts/0',
      broken: { manifest: { accounts: ['notes'] } },
      fixed: { manifest: { accounts: [account] } },
    },
    fails: (value) => {
      if (!isFields(value)) return true;
      const required = own(value, 'required');
      if (required === undefined || typeof required === 'boolean') return false;
      return [{ at: ['required'], value: required }];
    },
    repair: (value, _context, { step }) => (step === 'required' ? repairFlag(value) : undefined),
  }),
  defineRule({
    code: 'accounts.id',
    level: 'error',
    target: 'account.id',
    message: (value) =>
      `An account id has lowercase letters, digits and "_", a letter first: "notes", not ${show(value)}.`,
    why: 'Tools refer to the account by it, and it is part of what is signed and compared.',
    example: {
      path: '/accounts/0/id',
      broken: { manifest: { accounts: [{ ...account, id: 'My Notes' }] } },
      fixed: { manifest: { accounts: [{ ...account, id: 'my_notes' }] } },
    },
    fails: (id) => !isName(id),
  }),
  defineRule({
    code: 'accounts.duplicate',
    level: 'error',
    target: 'accounts.list',
    message: (value) => `An earlier account has the id ${show(value)} already: give each its own.`,
    why: 'With two accounts of one id, a tool could be handed the token of the wrong one.',
    example: {
      path: '/accounts/1/id',
      broken: { manifest: { accounts: [account, account] } },
      fixed: { manifest: { accounts: [account, { ...account, id: 'archive' }] } },
    },
    fails: (accounts) => repeats(accounts, idOf, 'id'),
  }),
  defineRule({
    code: 'accounts.label',
    level: 'error',
    target: 'account.label',
    message: (value) => textFault('"label"', value, LIMITS.account.label),
    why: 'It is what people read on the Connect button.',
    example: {
      path: '/accounts/0/label',
      broken: { manifest: { accounts: [unlabelled] } },
      fixed: { manifest: { accounts: [account] } },
    },
    fails: (label) => !isText(label, LIMITS.account.label),
  }),
  defineRule({
    code: 'accounts.auth',
    level: 'error',
    target: 'account.auth',
    message: (value) =>
      `"auth" is either "mcp" or left out, not ${show(value)}.${didYouMean(value, AUTH_NAMES)}`,
    why: 'There are two ways to find the sign-in server: ask the MCP server, or read the addresses written here.',
    example: {
      path: '/accounts/0/auth',
      broken: { manifest: { accounts: [{ ...account, auth: 'oauth' }] } },
      fixed: { manifest: { accounts: [account] } },
    },
    fails: (auth) => auth !== undefined && auth !== 'mcp',
    repair: (value) => repairName(value, AUTH_NAMES),
  }),
  // Speaks beside remote.missing in the store: it says what depends on the address that is not there.
  defineRule({
    code: 'accounts.auth.remote',
    level: 'error',
    target: 'account.auth',
    message:
      'An account with "auth": "mcp" asks the MCP server where to sign in: name that server in "remote.mcpUrl".',
    why: 'Without the server there is nobody to ask.',
    example: {
      path: '/accounts/0/auth',
      mode: 'dev',
      broken: { manifest: { accounts: [account], remote: undefined } },
      fixed: {
        manifest: {
          accounts: [account],
          remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: [] },
        },
      },
    },
    fails: (auth, { facts }) => auth === 'mcp' && !facts.hasMcpUrl,
  }),
  defineRule({
    code: 'accounts.scopes',
    level: 'error',
    target: 'account.scopes',
    message:
      '"scopes" must be a list of scope names without spaces, such as ["notes.read"]; write [] for none.',
    why: 'Scopes are compared one by one when an update asks for more; two in one string would slip through.',
    example: {
      path: '/accounts/0/scopes',
      broken: { manifest: { accounts: [{ ...account, scopes: 'notes.read' }] } },
      fixed: { manifest: { accounts: [{ ...account, scopes: ['notes.read'] }] } },
    },
    fails: (scopes) => badItems(scopes, isScope),
    repair: (value, _context, { step }) => (step === 'scopes' ? repairScopes(value) : undefined),
  }),
  defineRule({
    code: 'accounts.params',
    level: 'error',
    target: 'account.params',
    message: '"params" must be an object whose values are strings.',
    why: 'They are written into the address of the sign-in page, which knows nothing but text.',
    example: {
      path: '/accounts/0/params/max_age',
      broken: { manifest: { accounts: [{ ...account, params: { max_age: 60 } }] } },
      fixed: { manifest: { accounts: [{ ...account, params: { max_age: '60' } }] } },
    },
    fails: (params) => {
      if (params === undefined) return false;
      if (!isFields(params)) return true;
      const entries = Object.entries(params).filter(([, value]) => typeof value !== 'string');
      return entries.map(([name, value]) => ({ at: [name], value }));
    },
    // In the address of the page a whole number and its text are the same; other values have no one text.
    repair: (value) =>
      Number.isSafeInteger(value) || typeof value === 'boolean' ? { put: String(value) } : undefined,
  }),
  defineRule({
    code: 'accounts.params.reserved',
    level: 'error',
    target: 'account.param',
    message: (value) => `The client sets ${show(value)} itself: remove it from "params".`,
    why: 'These parameters decide where the code is sent and for whom; an app that set them could take over the sign-in.',
    example: {
      path: '/accounts/0/params/state',
      broken: { manifest: { accounts: [{ ...account, params: { state: 'fixed' } }] } },
      fixed: { manifest: { accounts: [{ ...account, params: { prompt: 'consent' } }] } },
    },
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
 * RFC 6749 section 3.3 writes scopes as one text with spaces between them. No list at all has no one answer: with none
 * asked for, a server may give all that it has.
 */
function repairScopes(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const scopes = value.split(' ').filter((scope) => scope !== '');
  return scopes.length > 0 && scopes.every(isScope) ? { put: scopes } : undefined;
}
