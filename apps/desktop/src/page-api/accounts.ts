import type { InstalledApp } from '@svc/runtime';
import { z } from 'zod';
import { requireApp } from './app-view.ts';
import { AppId, type CallsOf, Id, type PageParts } from './page-call.ts';

const OneAccount = z.strictObject({ appId: AppId, accountId: Id });

/** The accounts of apps. No token is in any of this. */
export function accountCalls({ desktop: { runtime, settings } }: PageParts): CallsOf<'accounts'> {
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
        await accounts.connect(wherever(appId), accountId, { signal });
        return {};
      },
    },
    'accounts.disconnect': {
      input: OneAccount,
      answer: ({ appId, accountId }) => accounts.disconnect(requireApp(library, appId), accountId),
    },
  };
}
