import type { ManagedSettings, SignedManagedSettings } from '@svc/contracts';
import { defaultSystem, type ManagedOptions } from '@svc/runtime';
import { signManaged } from '@svc/signing';
import { agentBearer } from '../../apps/desktop/src/gateway/agent-bearer.ts';
import type { DesktopOptions } from '../../apps/desktop/src/open-desktop.ts';
import { openPage, openTestDesktop } from '../../apps/desktop/test/support/test-desktop.ts';
import { serveSites } from '../../packages/runtime/test/support/internet.ts';
import { serveMcp } from '../../packages/runtime/test/support/mcp-server.ts';
import { APP, startSigningStore } from '../../packages/runtime/test/support/signing-store.ts';

/** Who sets the settings: the file of the machine, or the store. */
export type From = 'machine' | 'store';

/** A clock that a test moves, and no waits of minutes. */
export function movableSystem() {
  let ahead = 0;
  return {
    ...defaultSystem,
    now: () => defaultSystem.now() + ahead,
    advance: (ms: number) => {
      ahead += ms;
    },
  };
}

/** A store that signs managed settings, with one app, and an MCP server at `mcp.example.com`. */
export async function managedStore() {
  const [store, sites] = await Promise.all([startSigningStore(), serveSites(['mcp.example.com'])]);
  await serveMcp(() => ({ content: [] }), { serve: sites.at('mcp.example.com') });
  store.publish({ id: APP });
  let served: SignedManagedSettings | null = null;
  let changes = 0;
  const comeBack = (): void =>
    store.lie('/api/managed-settings', (response) =>
      served ? store.answer(response, 200, served) : store.refuse(response, 404, 'not_found'),
    );
  comeBack();
  return {
    ...store,
    connecting: sites.connecting,
    /** Serves these settings, as changed now. */
    set(settings: ManagedSettings | Record<string, unknown>, at?: string): SignedManagedSettings {
      changes += 1;
      const changedAt = at ?? new Date(Date.parse('2026-01-01T00:00:00.000Z') + changes).toISOString();
      const managed = settings as SignedManagedSettings['managed'];
      served = signManaged({ managed, changedAt }, new Date().toISOString(), store.state.key);
      return served;
    },
    /** Serves its settings again, after another answer. */
    comeBack,
    /** Serves this statement. */
    offer(statement: SignedManagedSettings): void {
      served = statement;
    },
  };
}

export type ManagedStore = Awaited<ReturnType<typeof managedStore>>;

/** What a desktop needs to know of its store. */
type StoreAt = { url: string; state: { key: { publicKeyPem: string } } } & Pick<
  Partial<ManagedStore>,
  'connecting'
>;

/** A desktop of a company, whose settings are in force when it is returned, and what carries them out has run once. */
export async function managedDesktop<Store extends StoreAt>(
  store: Store,
  managed: ManagedOptions,
  options: Partial<DesktopOptions> = {},
) {
  const desktop = await openTestDesktop({
    ...{ store: store.url, pin: store.state.key.publicKeyPem, managed, fetchStore: fetch },
    ...{ localConnectors: true, ...(store.connecting && { connecting: store.connecting }) },
    ...options,
  });
  const { runtime } = desktop.opened.desktop;
  await runtime.managed?.check();
  return {
    ...{ ...desktop, runtime, store },
    page: await openPage(desktop),
    agent: { origin: desktop.opened.desktop.origin, bearer: await agentBearer(desktop.folder) },
    /** Has the user install the app of the store. */
    async install(version?: string, appId = APP) {
      const sheet = await runtime.installer.prepareInstall(appId, version);
      return runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    },
  };
}

export type ManagedDesktop = Awaited<ReturnType<typeof managedDesktop<ManagedStore>>>;

/** The same with settings that the machine or the store sets. */
export async function desktopWith(
  settings: ManagedSettings,
  from: From,
  options: Partial<DesktopOptions> = {},
) {
  const store = await managedStore();
  store.set(from === 'store' ? settings : {});
  const managed = from === 'store' ? { settings: {}, fromStore: true } : { settings, fromStore: false };
  return managedDesktop(store, managed, options);
}
