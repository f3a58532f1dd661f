import { foldSpelling } from '../src/nearest.ts';
import { fieldsOf, isList, own } from '../src/values.ts';

const listIn = (value: unknown): readonly unknown[] => (isList(value) ? value : []);

/**
 * All permissions that a manifest names, in any shape, in one spelling: grants, hosts, accounts with their scopes,
 * required apps and connectors. Fixes may reformat these, but add none.
 */
export function namedIn(manifest: unknown): ReadonlySet<string> {
  const fields = fieldsOf(manifest);
  const remote = fieldsOf(own(fields, 'remote'));
  const network = fieldsOf(own(fields, 'network'));
  const requires = fieldsOf(own(fields, 'requires'));
  return new Set([
    ...spelt('grant', listIn(own(fields, 'grants'))),
    ...spelt('host', [
      ...listIn(own(remote, 'domains')).map(hostIn),
      ...listIn(own(network, 'domains')).map(hostIn),
    ]),
    ...spelt('server', [own(remote, 'mcpUrl')]),
    ...listIn(own(fields, 'accounts')).flatMap(accountNames),
    ...['apps', 'connectors', 'optional'].flatMap((list) =>
      listIn(own(requires, list)).flatMap((entry) =>
        spelt(
          list,
          ['id', 'url', 'github'].map((name) => hostIn(own(fieldsOf(entry), name))),
        ),
      ),
    ),
    ...listIn(own(fieldsOf(own(fields, 'contributes')), 'tools')).flatMap(toolNames),
  ]);
}

function accountNames(account: unknown): string[] {
  const fields = fieldsOf(account);
  const id = String(own(fields, 'id'));
  const scopes = own(fields, 'scopes');
  const named = typeof scopes === 'string' ? scopes.split(' ') : listIn(scopes);
  const addresses = ['authorizeUrl', 'tokenUrl', 'revokeUrl', 'clientId'].map((name) => own(fields, name));
  return [
    ...spelt('account', [id]),
    ...spelt(`scope of ${id}`, named),
    ...spelt(`address of ${id}`, addresses),
  ];
}

function toolNames(tool: unknown): string[] {
  const fields = fieldsOf(tool);
  const id = String(own(fields, 'id'));
  const params = Object.keys(fieldsOf(own(fields, 'files')));
  return [...spelt(`account of ${id}`, [own(fields, 'account')]), ...spelt(`file of ${id}`, params)];
}

/** The host of an address that has only a host; any other value unchanged. */
function hostIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?(?:github\.com\/)?/i, '')
    .replace(/\/$/, '')
    .replace(/:(?:443|80)$/, '')
    .replace(/\.(?:git)?$/i, '');
}

function spelt(kind: string, values: readonly unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' ? [`${kind}: ${foldSpelling(value)}`] : []));
}
