import { askToConnect, type InstalledApp } from '@svc/runtime';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import { requireApp } from './app-view.ts';
import { AppId, type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const OneAccount = z.strictObject({ appId: AppId, accountId: Id });

/** Waits for work until the request is aborted; the work continues. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  work.catch(() => undefined);
  const { promise: gone, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  await Promise.race([work, gone]);
}

/** The accounts of apps. No response contains a token. */
export function accountCalls({ desktop: { runtime, settings, prompts } }: PageParts): CallsOf<'accounts'> {
  const { accounts, library } = runtime;

  /** Accounts belong to no project: the app can connect them if it is on in any project. */
  function appInAnyProject(appId: string): InstalledApp {
    const projects = [undefined, ...settings.projects().map(({ id }) => id)];
    const switched = projects.map((project) => library.get(appId, project));
    return switched.find((app) => app?.on) ?? requireApp(library, appId);
  }

  return {
    'accounts.list': {
      input: z.strictObject({ appId: AppId }),
      async answer({ appId }) {
        const all = await accounts.list(requireApp(library, appId));
        return {
          accounts: all.map((account) => ({ ...account, activity: accounts.activity(appId, account.id) })),
        };
      },
    },
    'accounts.connect': {
      input: OneAccount,
      async answer({ appId, accountId }, { signal }) {
        const app = appInAnyProject(appId);
        const status = (await accounts.list(app)).find(({ id }) => id === accountId);
        // The page shows the server next to its button. If it is not known yet, a Connect card shows it.
        if (status && status.host === null && !status.signingIn) {
          await askToConnect({ ask: prompts.ask, accounts }, app, accountId, {}, signal);
          return;
        }
        // Reloading the page does not end the sign-in.
        await untilAborted(accounts.connect(app, accountId), signal);
      },
    },
    'accounts.signIns': {
      input: Nothing,
      answer() {
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
      },
    },
    'accounts.reopen': {
      input: OneAccount,
      async answer({ appId, accountId }) {
        if (!(await accounts.reopen(appId, accountId))) throw notFound('No sign-in is in progress.');
      },
    },
    'accounts.cancel': {
      input: OneAccount,
      answer({ appId, accountId }) {
        accounts.cancel(appId, accountId);
      },
    },
    'accounts.disconnect': {
      input: OneAccount,
      answer: ({ appId, accountId }) => accounts.disconnect(requireApp(library, appId), accountId),
    },
  };
}
