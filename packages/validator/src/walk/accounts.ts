import type { Walk } from '../engine.ts';
import { below, type Place, ROOT } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { visitField } from './field.ts';

/** Walks through `accounts`. */
export function walkAccounts(walk: Walk, manifest: Fields): void {
  const { value, place } = visitField(walk, manifest, 'accounts', ROOT, 'accounts');
  if (!isList(value)) return;
  walk.visit('accounts.list', value, place);
  for (const [index, account] of value.entries()) {
    const here = below(place, index);
    walk.visit('account', account, here);
    if (isFields(account)) walkAccount(walk, account, here);
  }
}

function walkAccount(walk: Walk, account: Fields, here: Place): void {
  visitField(walk, account, 'id', here, 'account.id');
  visitField(walk, account, 'label', here, 'account.label');
  visitField(walk, account, 'auth', here, 'account.auth');
  const auth = own(account, 'auth');
  for (const name of ['authorizeUrl', 'tokenUrl', 'revokeUrl', 'clientId'] as const) {
    // A malformed `auth` is reported once: the fields that `"auth": "mcp"` makes unnecessary are not required then.
    const isNeeded = auth === undefined && name !== 'revokeUrl';
    if (isNeeded || own(account, name) !== undefined)
      visitField(walk, account, name, here, `account.${name}`);
  }
  visitField(walk, account, 'scopes', here, 'account.scopes');
  visitField(walk, account, 'params', here, 'account.params');
  const params = own(account, 'params');
  if (!isFields(params)) return;
  for (const name of Object.keys(params)) {
    walk.visit('account.param', name, below(below(here, 'params'), name));
  }
}
