import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { storeAddress } from '@svc/contracts/store-address';
import { type Accounts, openAccounts } from './accounts/accounts.ts';
import type { Guard } from './accounts/requests.ts';
import type { BuiltInApp } from './built-in/built-in-app.ts';
import type { CallRequest } from './calls/call-tool.ts';
import { type Calls, createCalls } from './calls/calls.ts';
import type { Pins } from './calls/pins/pins.ts';
import { limitedAsk } from './cards/card-limit.ts';
import type { HeaderStore } from './connectors/connector-headers.ts';
import { networksIn } from './defaults.ts';
import { type DeveloperFolder, openDeveloperFolder } from './developer/developer-folder.ts';
import type { Events } from './events/events.ts';
import type { Prepare } from './files/ready-files.ts';
import { createInstaller, type Installer } from './install/installer.ts';
import { createUpdateWatch } from './install/update-watch.ts';
import type { ConnectorSettings, FileRecipients } from './library/choice-tables.ts';
import type { InstalledApp } from './library/installed-app.ts';
import { createLibrary, isAllowed, type Library } from './library/library.ts';
import { installIdOf } from './library/library-storage.ts';
import type { LoopbackOf } from './library/loopback.ts';
import { type CarryDeps, createCarry } from './managed/carry-out.ts';
import { createManaged, type Managed } from './managed/open-managed.ts';
import {
  installsNow,
  isTooOld,
  mirrorsOf,
  refusalOfDevelopment,
  refusalOfId,
  refusalOfLocal,
} from './managed/rules.ts';
import { type ManagedState, openManagedState } from './managed/state.ts';
import { createManagedWatch } from './managed/watch.ts';
import { createPrepare } from './media/prepare.ts';
import { hostsInside } from './network/connector.ts';
import { createGuardedFetch } from './network/guarded-fetch.ts';
import { openSender } from './network/network.ts';
import { listenForPanels, type PanelListener } from './panels/listen.ts';
import { createPanels, type Panels } from './panels/panels.ts';
import { createPreviews, type Previews } from './panels/previews.ts';
import type { Tracing } from './platform/tracing.ts';
import { createRevocationWatch } from './revocations/revocation-watch.ts';
import type { Runtime } from './runtime.ts';
import type { CompleteOptions } from './runtime-options.ts';
import type { RuntimeStorage } from './storage/storage.ts';
import { createMirroredFetch, mirrorAddresses } from './store/mirrors/mirrored-fetch.ts';
import { createStorageFetch, storeFetch, storeFetchOver } from './store/store-fetch.ts';
import { createStoreKeys } from './store/store-keys.ts';
import { createStoreReader } from './store/store-reader.ts';

/** The fetch for the store, and what closes its connections. */
export function openStoreFetch({ fetchStore, network, connecting }: CompleteOptions, tracing: Tracing) {
  const sender = network && openSender(network, { limits: {}, ca: connecting?.ca });
  const own = sender ? storeFetchOver(sender) : storeFetch;
  const send = fetchStore ?? own;
  const traced: typeof fetch = (input, init = {}) => {
    const added = Object.entries(tracing.headers());
    if (added.length === 0) return send(input, init);
    const headers = new Headers(init.headers);
    for (const [name, value] of added) headers.set(name, value);
    return send(input, { ...init, headers });
  };
  return { fetch: traced, close: async () => sender?.close() };
}

/** Opens the store reader, the installer and the revocation watch. */
export function openStoreSide(
  options: CompleteOptions,
  events: Events,
  given: { storage: RuntimeStorage; pins: Pins; fetchStore: typeof fetch; tracing: Tracing },
) {
  const { pins, fetchStore, tracing } = given;
  const storage = given.storage.library;
  const { system, client, connecting, store, pin, onFault, localApps, storeToken: token } = options;
  const networks = networksIn(options);
  const managed = options.managed
    ? openManagedState(options.managed, storage, { store: storeAddress(store), system })
    : undefined;
  const localConnectors = managedLocal(options.localConnectors, managed);
  const library = createLibrary({
    ...{ storage, events, client, managed, localConnectors },
    builtIn: options.builtIn,
  });
  const installId = installIdOf(system, storage);
  const [address, givenMirrors] = [storeAddress(store), mirrorAddresses(options.mirrors ?? [])];
  const mirrored = createMirroredFetch({
    ...{ system, fetch: fetchStore, store: address },
    mirrors: () => mirrorsOf(managed?.rules() ?? [], givenMirrors),
    trusted: () => keys.kept(),
    onLeft: (mirror, why) => events.emit({ type: 'mirror-left', store: address, mirror, why }),
    onBack: (mirror) => events.emit({ type: 'mirror-back', store: address, mirror }),
  });
  const reader = createStoreReader({
    ...{ system, store, installId, token },
    fetch: mirrored.fetch,
    // A client with its own fetch for the store may not be able to reach another host.
    storage: options.fetchStore ? undefined : createStorageFetch(store, { system, connecting }),
  });
  const keys = createStoreKeys({ storage, reader, ...(pin !== undefined && { pin }) });
  const untraced = createInstaller({
    ...{ system, storage, library, events, client, reader, keys, localApps },
    hostsInside: (hosts) => hostsInside(connecting ?? {}, { networks: networks(), system }, hosts),
    askAboutInstructions: options.askAboutInstructions,
    evidenceFolder: join(options.folder, 'evidence'),
    logWitnesses: options.logWitnesses,
    pins,
    requireAllowedId(appId) {
      const refused = refusalOfId(managed?.rules() ?? [], appId);
      if (refused) throw refused;
    },
  });
  const installer: Installer = {
    ...untraced,
    prepareInstall: (appId, ...rest) =>
      tracing.span('svc prepare_install', { 'svc.app.id': appId }, () =>
        untraced.prepareInstall(appId, ...rest),
      ),
    install: async (sheet, ...rest) =>
      tracing.span(
        'svc install',
        { 'svc.app.id': sheet.app.appId, 'svc.app.version': sheet.app.version },
        () => untraced.install(sheet, ...rest),
      ),
  };
  const revocations = createRevocationWatch({ system, storage, library, events, reader, keys, onFault });
  return { library, reader, installer, revocations, keys, managed, localConnectors, mirrors: mirrored.list };
}

/** Whether local connectors are allowed: by the client, and by the company. */
const managedLocal = (
  given: CompleteOptions['localConnectors'],
  managed: ManagedState | undefined,
): NonNullable<CompleteOptions['localConnectors']> =>
  managed && given ? () => isAllowed(given) && refusalOfLocal(managed.rules()) === null : (given ?? false);

type StoreSide = ReturnType<typeof openStoreSide>;

/** Starts to keep the settings of a company in force, if there are any. @throws TypeError for settings of a store without its key */
export function openManaged(
  { managed: given, pin, system, onFault }: CompleteOptions,
  { managed: state, library, reader, installer, keys }: StoreSide,
  {
    accounts,
    events,
    addConnector,
  }: Pick<AppSide, 'accounts'> & { events: Events; addConnector: CarryDeps['addConnector'] },
): { managed: Managed; stop(): void } | null {
  if (!given || !state) return null;
  if (given.fromStore && pin === undefined)
    throw new TypeError('Managed settings of a store need the key of the store: give `pin` too.');
  const rules = () => state.rules();
  const carryOut = createCarry({ rules, library, installer, reader, addConnector });
  const { fromStore } = given;
  const watch = createManagedWatch({
    system,
    state,
    fromStore,
    library,
    events,
    reader,
    keys,
    accounts,
    carryOut,
    onFault,
  });
  watch.start();
  return { managed: createManaged(given, state, watch), stop: () => watch.stop() };
}

/** Opens accounts and calls, over guarded connections. */
export function openAppSide(
  options: CompleteOptions,
  events: Events,
  library: Library,
  given: {
    loopbackOf: LoopbackOf;
    /** What their sign-ins may reach on this machine. */
    signInLoopbackOf: LoopbackOf;
    recipients: FileRecipients;
    connectorSettings: ConnectorSettings;
    pins: Pins;
    headers: HeaderStore;
    fetchStore: typeof fetch;
    tracing: Tracing;
    storage: RuntimeStorage;
  },
) {
  const { system, client, connecting, ask, builtIn = [] } = options;
  const { loopbackOf, fetchStore, tracing } = given;
  const guard: Guard = (reach) => createGuardedFetch({ ...reach, system, ...(connecting && { connecting }) });
  const installed = (appId: string) => library.get(appId);
  const untraced = openAccounts({
    ...{ ...options, fetchStore, events, guard, installed },
    loopbackOf: given.signInLoopbackOf,
    tracing,
    place: given.storage.vault,
    alone: given.storage.alone,
  });
  const accounts: Accounts = {
    ...untraced,
    connect: (app, accountId, ...rest) =>
      tracing.span('svc sign_in', { 'svc.app.id': app.appId, 'svc.account.id': accountId }, () =>
        untraced.connect(app, accountId, ...rest),
      ),
  };
  const storage = given.storage.files;
  const prepare = createPrepare(system, options.programs);
  const plainCalls = createCalls({
    system,
    events,
    ask: limitedAsk(ask),
    tokens: accounts,
    addAccount: library.addAccount,
    ...given,
    services: options.services,
    storage,
    prepare,
    builtIn: new Map(builtIn.map((one) => [one.app.appId, withMedia(one, prepare)])),
    client: { name: client.name, version: client.version },
    ...(connecting && { connecting }),
    ...(options.localConnectors && {
      commands: { env: process.env, platform: process.platform, programs: options.programs },
    }),
    onFault: options.onFault,
  });
  const calls: Calls = {
    ...plainCalls,
    call: (app, request) => tracedCall(tracing, plainCalls, app, request),
  };
  return { guard, accounts, storage, prepare, calls, loopbackOf, headers: given.headers };
}

/** A call of a tool in a span, named as OpenTelemetry's conventions for MCP have it. The name of the tool is one that the app declares, or unknown. */
function tracedCall(
  { span }: Tracing,
  calls: Calls,
  app: InstalledApp,
  request: CallRequest,
): ReturnType<Calls['call']> {
  const facts = {
    ...{ 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' },
    ...{ 'gen_ai.tool.name': request.tool, 'svc.app.id': app.appId, 'svc.app.version': app.version },
  };
  return span(`tools/call ${request.tool}`, facts, () => calls.call(app, request));
}

/** A built-in app with the media operations of this runtime. */
const withMedia = (app: BuiltInApp, prepare: Prepare): BuiltInApp => ({
  ...app,
  call: (tool, args, signal) => app.call(tool, args, signal, { prepare }),
});

/** Accounts, calls and files of apps. */
export type AppSide = ReturnType<typeof openAppSide>;

/** Opens panels, and the server for them on this machine. */
export async function openPanelSide(
  options: CompleteOptions,
  events: Events,
  library: Library,
  { accounts, calls, prepare, loopbackOf }: AppSide,
): Promise<{ panels: Panels; previews: Previews; listener: PanelListener }> {
  const { system, client, ask, pickFiles, panelTokens = 'confined', onFault } = options;
  const listener = await listenForPanels(
    (request) => previews.serve(request) ?? panels.serve(request),
    onFault,
  );
  const { originOf } = listener;
  const previews = createPreviews({ system, clientOrigin: client.origin, originOf });
  const panels: Panels = createPanels({
    system,
    events,
    accounts,
    loopbackOf,
    client: {
      name: client.name,
      version: client.version,
      origin: client.origin,
      ask,
      tokens: panelTokens,
      ...(pickFiles && { pickFiles }),
      prepareMedia: async ({ name, ...file }, request, signal) => ({
        name,
        ...(await prepare(file, request, signal)),
      }),
    },
    call: async (app, request) => calls.call(library.requireUsable(app.appId, request.project), request),
    bundleFiles: (app) => library.files(app.appId),
    pages: {
      tools: (app) => calls.toolsNow(app).tools,
      read: (app, uri, project) => calls.contents.page(app, uri, { project, chat: null }),
    },
    mayRun: (app, project) => isUnchanged(library.get(app.appId, project), app),
    originOf,
    onFault,
  });
  return { panels, previews, listener };
}

/** Whether an app is on and unchanged. Comparing versions is not enough: a developer folder may have replaced the app. */
const isUnchanged = (now: InstalledApp | null, then: InstalledApp): boolean =>
  now?.on === true &&
  now.yanked === null &&
  isDeepStrictEqual([now.source, now.manifest], [then.source, then.manifest]);

/** Opens developer folders, and closes them with the runtime. */
export function openFolders(
  options: CompleteOptions,
  events: Events,
  { library, managed }: Pick<StoreSide, 'library' | 'managed'>,
) {
  const folders = new Set<DeveloperFolder>();
  let closed = false;
  return {
    async open(folder: string): Promise<DeveloperFolder> {
      const refused = refusalOfDevelopment(managed?.rules() ?? []);
      if (refused) throw refused;
      const opened = await openDeveloperFolder({ ...options, library, events }, folder, options.onFault);
      folders.add(opened);
      if (closed) opened.close();
      return opened;
    },
    close() {
      closed = true;
      for (const folder of folders) folder.close();
    },
  };
}

/** Starts to keep apps up to date, if the client wants that. */
export function openUpdates(
  { system, autoUpdate, onFault }: CompleteOptions,
  {
    accounts,
    calls,
    panels,
    managed,
    ...parts
  }: Pick<Runtime, 'library' | 'reader' | 'installer' | 'revocations' | 'events'> &
    Pick<AppSide, 'accounts' | 'calls'> & { panels: Panels; managed: ManagedState | undefined },
) {
  if (!autoUpdate) return null;
  const { installs = () => true, ...others } = autoUpdate === true ? {} : autoUpdate;
  const rules = () => managed?.rules() ?? [];
  function isSigningIn(appId: string): boolean {
    const app = parts.library.get(appId);
    return app?.manifest.accounts?.some(({ id }) => accounts.underWay(app, id) !== null) === true;
  }
  const watch = createUpdateWatch({
    ...{ ...parts, system, onFault },
    autoUpdate: { ...others, installs: () => installsNow(rules(), new Date(system.now()), installs()) },
    isForced: ({ appId, version }) => isTooOld(rules(), appId, version),
    isInUse: (appId) => calls.isBusy(appId) || panels.isShown(appId) || isSigningIn(appId),
  });
  watch.start();
  return watch;
}
