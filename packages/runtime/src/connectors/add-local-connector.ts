import { isThisMachine } from '@svc/contracts/this-machine';
import { withHeaders } from '../calls/authorised-fetch.ts';
import type { Calls } from '../calls/calls.ts';
import { environmentOf } from '../calls/open-command.ts';
import type { ProbeOptions } from '../calls/probe-server.ts';
import { cardAppOf } from '../cards/ask-to-connect.ts';
import type { Ask, LocalAccess, LocalConnectorCard } from '../cards/card.ts';
import { headerNamesOf, type InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { createGuardedFetch, type GuardedFetchOptions } from '../network/guarded-fetch.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { commandApp, isSameAddress, localAddressApp } from './connector-app.ts';
import { type ConnectorHeaders, type HeaderStore, plainHeaders } from './connector-headers.ts';
import { needsAccount } from './probe-connector.ts';
import { type LocalAddress, type ResolveAddressDeps, resolveLocalAddress } from './resolve-address.ts';
import { type CommandEnvironment, type CommandRequest, resolveCommand } from './resolve-command.ts';

/** Asks the user whether a program may run on this machine, or a server of the local network be reached. */
function localConnectorCard(app: InstalledApp, access: LocalAccess): LocalConnectorCard {
  const card: Omit<LocalConnectorCard, 'binding'> = { kind: 'local-connector', app: cardAppOf(app), access };
  return { ...card, binding: hashOfJson(card) };
}

/**
 * Has the user agree to a local connector.
 * @throws RuntimeError `declined` without a yes to exactly this; the signal's reason
 */
async function requireLocalConsent(
  app: InstalledApp,
  access: LocalAccess,
  ask: Ask,
  signal: AbortSignal,
): Promise<void> {
  const card = localConnectorCard(app, access);
  const answer = await ask(card, signal);
  signal.throwIfAborted();
  if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
}

/** A local connector that the user adds: a server by its address, or a program. */
export type LocalConnectorRequest = AddressRequest | CommandRequest;

/** An MCP server by its address, and headers to send to it. */
export type AddressRequest = { url: string; headers?: ConnectorHeaders | undefined };

export type LocalConnectorDeps = ResolveAddressDeps & {
  library: Pick<Library, 'list' | 'get' | 'addConnector'>;
  calls: Pick<Calls, 'tools' | 'close'>;
  headers: HeaderStore;
  ask: Ask;
  environment: CommandEnvironment;
  network: Pick<GuardedFetchOptions, 'connecting'> & Pick<ProbeOptions, 'system'>;
};

/** Whether the server at an address requires the user to sign in. @throws RuntimeError */
async function asksForAccount(
  { network }: LocalConnectorDeps,
  { url, addresses }: LocalAddress,
  headers: ConnectorHeaders,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostname, origin } = new URL(url);
  const reach = { allowed: [hostname], allowLoopback: false, home: origin, pinned: addresses };
  const guarded = createGuardedFetch({ ...network, ...reach, personal: Object.keys(headers) });
  try {
    const { system } = network;
    return await needsAccount({ system, url, fetch: withHeaders(guarded, headers), signal }, headers);
  } finally {
    await guarded.close();
  }
}

/** Creates the app of an address, after the user agreed and the server responded. */
async function addressConnector(
  deps: LocalConnectorDeps,
  { url: text }: AddressRequest,
  headers: ConnectorHeaders,
  signal: AbortSignal,
): Promise<InstalledApp> {
  const resolved = await resolveLocalAddress(text, deps);
  const same = deps.library
    .list()
    .find(({ source }) => source.kind === 'connector' && isSameAddress(source.url, resolved.url));
  // If the address was added before in another spelling, its connector keeps its id.
  const url = same?.source.kind === 'connector' ? same.source.url : resolved.url;
  const { addresses, place } = resolved;
  const { host, protocol } = new URL(url);
  const names = Object.keys(headers);
  if (names.length > 0 && protocol === 'http:' && place !== 'this-machine')
    throw new RuntimeError('address-refused', 'Headers are only sent over https or to this machine.');
  const access = {
    kind: 'address' as const,
    url,
    host,
    addresses,
    place,
    isEncrypted: protocol === 'https:',
  };
  await requireLocalConsent(localAddressApp(url, addresses, false), access, deps.ask, signal);
  const isClosed = await asksForAccount(deps, { ...resolved, url }, headers, signal);
  if (isClosed && !isThisMachine(new URL(url).hostname)) {
    // OAuth 2.1 section 1.5 requires TLS except on this machine, and sign-in is limited to public servers.
    throw new RuntimeError(
      'server-failed',
      place === 'this-machine'
        ? 'The server requires sign-in: add it by an address of this machine, such as http://localhost:3000/mcp.'
        : 'The server requires sign-in, which is not supported for servers of the local network.',
    );
  }
  return localAddressApp(url, addresses, isClosed, names);
}

/** Stores a connector with its headers, which are durable before the connector refers to them. */
export async function storeConnector(
  { library, headers: store }: Pick<LocalConnectorDeps, 'library' | 'headers'>,
  app: InstalledApp,
  headers: ConnectorHeaders,
): Promise<InstalledApp> {
  const before = library.get(app.appId);
  const hadAny = before !== null && headerNamesOf(before).length > 0;
  // A locked vault does not prevent a connector that needs nothing from it.
  if (hadAny || Object.keys(headers).length > 0) await store.write(app.appId, headers);
  library.addConnector(app);
  // An existing connector keeps its switches.
  return library.get(app.appId) ?? app;
}

/** Creates the app of a command, after the user agreed. */
async function commandConnector(
  { ask, environment }: LocalConnectorDeps,
  request: CommandRequest,
  signal: AbortSignal,
): Promise<InstalledApp> {
  const command = await resolveCommand(request, environment);
  const app = commandApp(command, request.name?.trim() || (command.program.split(/[/\\]/).at(-1) ?? ''));
  const access = { kind: 'command' as const, ...command, environment: environmentOf(command) };
  await requireLocalConsent(app, access, ask, signal);
  return app;
}

/**
 * Adds a connector on this machine or the local network: resolves the program or address, asks the user to agree to exactly that,
 * and lists its tools once before it is stored.
 * @throws RuntimeError `command-refused`, `address-refused`, `unreachable`, `declined`, and the errors of listing its tools
 */
export async function addLocalConnector(
  deps: LocalConnectorDeps,
  request: LocalConnectorRequest,
  signal: AbortSignal,
): Promise<InstalledApp> {
  const { calls } = deps;
  const isAddress = 'url' in request;
  const headers = plainHeaders((isAddress && request.headers) || {});
  const app = isAddress
    ? await addressConnector(deps, request, headers, signal)
    : await commandConnector(deps, request, signal);
  if (!isAddress) {
    try {
      await calls.tools(app, { signal });
    } catch (error) {
      await calls.close(app.appId);
      throw error;
    }
  }
  return storeConnector(deps, app, headers);
}
