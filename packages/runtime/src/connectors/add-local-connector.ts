import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@svc/signing';
import { probeUnauthenticated } from '../accounts/discovery/discover.ts';
import type { Calls } from '../calls/calls.ts';
import { environmentOf } from '../calls/command/command-transport.ts';
import type { Ask, LocalAccess, LocalConnectorCard } from '../cards/card.ts';
import { cardAppOf } from '../cards/connect-card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { createGuardedFetch, type GuardedFetchOptions } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { commandApp, isSameAddress, localAddressApp } from './connector-app.ts';
import { type LocalAddress, type ResolveAddressDeps, resolveLocalAddress } from './resolve-address.ts';
import { type CommandEnvironment, type CommandRequest, resolveCommand } from './resolve-command.ts';

/** Asks the user whether a program may run on this machine, or a server of the local network be reached. */
function localConnectorCard(app: InstalledApp, access: LocalAccess): LocalConnectorCard {
  const card: Omit<LocalConnectorCard, 'binding'> = { kind: 'local-connector', app: cardAppOf(app), access };
  const bound = canonicalJson(card as unknown as JsonValue);
  return { ...card, binding: createHash('sha256').update(bound).digest('hex') };
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

/** Time limit for the first response of a server of the local network, in milliseconds. */
const FIRST_ANSWER_MS = 30_000;

/** A local connector that the user adds: a server by its address, or a program. */
export type LocalConnectorRequest = { url: string } | CommandRequest;

export type LocalConnectorDeps = ResolveAddressDeps & {
  library: Pick<Library, 'list' | 'get' | 'addConnector'>;
  calls: Pick<Calls, 'tools' | 'close'>;
  ask: Ask;
  environment: CommandEnvironment;
  network: Pick<GuardedFetchOptions, 'system' | 'connecting'>;
};

/** Whether the server at an address requires the user to sign in. @throws RuntimeError */
async function needsAccount(
  { network }: LocalConnectorDeps,
  { url, addresses }: LocalAddress,
  signal: AbortSignal,
): Promise<boolean> {
  const { hostname, origin } = new URL(url);
  const bounds = { totalMs: FIRST_ANSWER_MS };
  const reach = { allowed: [hostname], allowLoopback: false, home: origin, pinned: addresses, bounds };
  const guarded = createGuardedFetch({ ...network, ...reach });
  try {
    const head = async (address: string, init: RequestInit = {}) => {
      const response = await guarded(address, { ...init, redirect: 'manual', signal });
      await response.body?.cancel();
      return response;
    };
    const { status, isClosed } = await probeUnauthenticated({ head }, url);
    if (isClosed || status === 200) return isClosed;
    throw new RuntimeError('server-failed', `There is no MCP server at this address (${status}).`);
  } finally {
    await guarded.close();
  }
}

/** Creates the app of an address, after the user agreed and the server responded. */
async function addressConnector(
  deps: LocalConnectorDeps,
  text: string,
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
  const access = {
    kind: 'address' as const,
    url,
    host,
    addresses,
    place,
    isEncrypted: protocol === 'https:',
  };
  await requireLocalConsent(localAddressApp(url, addresses, false), access, deps.ask, signal);
  const isClosed = await needsAccount(deps, { ...resolved, url }, signal);
  if (isClosed && place !== 'this-machine') {
    // OAuth 2.1 section 1.5 requires TLS except on this machine, and sign-in is limited to public servers.
    throw new RuntimeError(
      'server-failed',
      'The server requires sign-in, which is not supported for servers of the local network.',
    );
  }
  return localAddressApp(url, addresses, isClosed);
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
  const { library, calls } = deps;
  const isAddress = 'url' in request;
  const app = isAddress
    ? await addressConnector(deps, request.url, signal)
    : await commandConnector(deps, request, signal);
  if (!isAddress) {
    try {
      await calls.tools(app, { signal });
    } catch (error) {
      await calls.close(app.appId);
      throw error;
    }
  }
  library.addConnector(app);
  // An existing connector keeps its switches.
  return library.get(app.appId) ?? app;
}
