import { askToConnect, type InstalledApp } from '@svc/runtime';
import { z } from 'zod';
import { notFound } from '../http/exchange.ts';
import { requireApp } from './app-view.ts';
import { AppId, type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const OneAccount = z.strictObject({ appId: AppId, accountId: Id });

/** Waits for work for as long as the page asks for it; the work goes on without. */
async function whileAsked(work: Promise<void>, signal: AbortSignal): Promise<void> {
  work.catch(() => undefined);
  const { promise: gone, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  await Promise.race([work, gone]);
}

/** The accounts of apps. No token is in any of this. */
export function accountCalls({ desktop: { runtime, settings, desk } }: PageParts): CallsOf<'accounts'> {
  const { accounts, library } = runtime;

  /** An account is of no project: the app may connect it while it is on anywhere. */
  function wherever(appId: string): InstalledApp {
    const projects = [undefined, ...settings.projects().map(({ id }) => id)];
    const switched = projects.map((project) => library.get(appId, project));
    return switched.find((app) => app?.on) ?? requireApp(library, appId);
  }

  return {
    'accounts.list': {
      input: z.strictObject({ appId: AppId }),
      async answer({ appId }) {
        const all = await accounts.list(requireApp(library, appId));
        return { accounts: all.map((one) => ({ ...one, activity: accounts.activity(appId, one.id) })) };
      },
    },
    'accounts.connect': {
      input: OneAccount,
      async answer({ appId, accountId }, { signal }) {
        const app = wherever(appId);
        const status = (await accounts.list(app)).find(({ id }) => id === accountId);
        // The page names the server beside its button. Where it is not known yet, a card does, as for a call.
        if (status && status.host === null && !status.signingIn) {
          await askToConnect({ ask: desk.ask, accounts }, app, accountId, {}, signal);
          return {};
        }
        // A page that is reloaded does not end the sign-in.
        await whileAsked(accounts.connect(app, accountId), signal);
        return {};
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
            })),
        );
        return { signIns };
      },
    },
    'accounts.reopen': {
      input: OneAccount,
      async answer({ appId, accountId }) {
        if (!(await accounts.reopen(appId, accountId))) throw notFound('No sign-in waits for you here.');
        return {};
      },
    },
    'accounts.cancel': {
      input: OneAccount,
      answer({ appId, accountId }) {
        accounts.cancel(appId, accountId);
        return {};
      },
    },
    'accounts.disconnect': {
      input: OneAccount,
      answer: ({ appId, accountId }) => accounts.disconnect(requireApp(library, appId), accountId),
    },
  };
}
