import { askToConnect, type InstalledApp, type Runtime, RuntimeError } from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import { requireDeclared, valuesOf } from '../settings/app-values.ts';
import type { AppView } from '../wire/views.ts';
import { AppId, call, Id, Nothing, type PageParts } from './page-call.ts';

type Library = Pick<Runtime['library'], 'get' | 'requireUsable' | 'requirementsOf'>;
type Viewed = { library: Library; serverFault: Runtime['serverFault'] };

/** Returns an app. @throws RuntimeError `not-installed` */
export function requireApp(library: Library, appId: string, project?: string): InstalledApp {
  const app = library.get(appId, project);
  if (!app) throw new RuntimeError('not-installed');
  return app;
}

/** Why an app that is on cannot be used; null if it can, or if it is off. */
function obstacleOf(library: Library, { appId, on }: InstalledApp, project?: string): string | null {
  if (!on) return null;
  try {
    library.requireUsable(appId, project);
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** The view of an app in a project; in all projects if none is given. */
export function viewOf({ library, serverFault }: Viewed, app: InstalledApp, project?: string): AppView {
  const { appId, version, manifest, source, on, yanked, restoredAt = null } = app;
  return {
    appId,
    version,
    manifest,
    source,
    on,
    yanked,
    restoredAt,
    obstacle: obstacleOf(library, app, project),
    serverFault: on ? serverFault(appId) : null,
    requirements: library.requirementsOf(app, project),
  };
}

const MAX_TEXT = 10_000;

const OneApp = z.strictObject({ appId: AppId });
const Values = z.record(Id, z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]));

/** The installed apps. */
export function appCalls({ desktop: { runtime, settings }, panels }: PageParts) {
  const { library } = runtime;
  return {
    'apps.list': call(z.strictObject({ project: Id }), ({ project }) => ({
      apps: library.list(project).map((app) => viewOf(runtime, app, project)),
    })),
    /** In all projects if none is given. */
    'apps.switch': call(
      z.strictObject({ appId: AppId, on: z.boolean(), project: z.exactOptional(Id) }),
      ({ appId, on, project }) => library.switch(appId, on, project),
    ),
    'apps.remove': call(OneApp, ({ appId }) => runtime.remove(appId)),
    /** Checks all apps for updates. Updates that ask for new permissions show a card. */
    'apps.update': call(Nothing, async (_, { signal }) => ({ outcomes: await runtime.update(signal) })),
    /** What was found without the user: the updates that wait, whether others are installed, and when all apps were last checked. */
    'apps.updates': call(Nothing, () => {
      const at = runtime.updates?.checkedAt() ?? null;
      return {
        installs: settings.installsUpdates(),
        /** The same by what the company set too: it may want hours, or leave no choice. */
        installsNow: runtime.updates?.installsNow() ?? false,
        waiting: runtime.updates?.waiting() ?? [],
        checkedAt: at === null ? null : new Date(at).toISOString(),
      };
    }),
    'apps.installUpdates': call(z.strictObject({ on: z.boolean() }), ({ on }) => settings.installUpdates(on)),
    /** The apps of which the store offers a list of versions that is too old. */
    'apps.stale': call(Nothing, () => ({ stale: runtime.installer.stale() })),
    'apps.checkRevocations': call(Nothing, (_, { signal }) => runtime.revocations.check(signal)),
    'apps.settings': call(OneApp, ({ appId }) => ({
      values: valuesOf(requireApp(library, appId), settings),
    })),
    'apps.saveSettings': call(z.strictObject({ appId: AppId, values: Values }), async ({ appId, values }) => {
      const app = requireApp(library, appId);
      requireDeclared(app, values);
      await settings.saveAppValues(appId, values);
      panels.changeAll(appId, { settings: valuesOf(app, settings) });
    }),
  };
}

const OneAccount = z.strictObject({ appId: AppId, accountId: Id });

/** The accounts of apps. No response contains a token. */
export function accountCalls({ desktop: { runtime, settings, prompts } }: PageParts) {
  const { accounts, library } = runtime;

  /** Accounts belong to no project: the app can connect them if it is on in any project. */
  function appInAnyProject(appId: string): InstalledApp {
    const projects = [undefined, ...settings.projects().map(({ id }) => id)];
    const switched = projects.map((project) => library.get(appId, project));
    return switched.find((app) => app?.on) ?? requireApp(library, appId);
  }

  return {
    'accounts.list': call(z.strictObject({ appId: AppId }), async ({ appId }) => {
      const all = await accounts.list(requireApp(library, appId));
      return {
        accounts: all.map((account) => ({ ...account, activity: accounts.activity(appId, account.id) })),
      };
    }),
    'accounts.connect': call(OneAccount, async ({ appId, accountId }, { signal }) => {
      const app = appInAnyProject(appId);
      const status = (await accounts.list(app)).find(({ id }) => id === accountId);
      // The page shows the server next to its button. If it is not known yet, a Connect card shows it.
      if (status && status.host === null && !status.signingIn) {
        await askToConnect({ ask: prompts.ask, accounts }, app, accountId, {}, signal);
        return;
      }
      // Reloading the page does not end the sign-in.
      const connecting = accounts.connect(app, accountId);
      connecting.catch(() => undefined);
      await orAborted(signal, connecting);
    }),
    /** Sign-ins in progress, of all pages and agents. */
    'accounts.signIns': call(Nothing, () => {
      const signIns = library.list().flatMap((app) =>
        (app.manifest.accounts ?? [])
          .filter(({ id }) => accounts.underWay(app, id) !== null)
          .map(({ id, label }) => ({
            appId: app.appId,
            app: app.manifest.name,
            accountId: id,
            label,
            digits: accounts.digits(app.appId, id),
          })),
      );
      return { signIns };
    }),
    /** Reopens the page of a sign-in. */
    'accounts.reopen': call(OneAccount, async ({ appId, accountId }) => {
      if (!(await accounts.reopen(appId, accountId))) throw notFound('No sign-in is in progress.');
    }),
    'accounts.cancel': call(OneAccount, ({ appId, accountId }) => {
      accounts.cancel(appId, accountId);
    }),
    'accounts.disconnect': call(OneAccount, ({ appId, accountId }) =>
      accounts.disconnect(requireApp(library, appId), accountId),
    ),
  };
}
