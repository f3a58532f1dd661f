import { z } from 'zod';
import { requireApp } from './app-view.ts';
import { AppId, type CallsOf, Id, type PageParts } from './page-call.ts';

const OneAccount = z.strictObject({ appId: AppId, accountId: Id });

/** The accounts of apps. No token is in any of this. */
export function accountCalls({ desktop: { runtime } }: PageParts): CallsOf<'accounts'> {
  const { accounts, library } = runtime;
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
        await accounts.connect(requireApp(library, appId), accountId, { signal });
        return {};
      },
    },
    'accounts.disconnect': {
      input: OneAccount,
      answer: ({ appId, accountId }) => accounts.disconnect(requireApp(library, appId), accountId),
    },
  };
}
