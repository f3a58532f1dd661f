import { z } from 'zod';
import { requireDeclared, valuesOf } from '../settings/app-values.ts';
import { requireApp, viewOf } from './app-view.ts';
import { AppId, type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const MAX_TEXT = 10_000;

const OneApp = z.strictObject({ appId: AppId });
const Values = z.record(Id, z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]));

/** The installed apps. */
export function appCalls({ desktop: { runtime, settings }, panels }: PageParts): CallsOf<'apps'> {
  const { library } = runtime;
  return {
    'apps.list': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => ({ apps: library.list(project).map((app) => viewOf(library, app, project)) }),
    },
    'apps.switch': {
      input: z.strictObject({ appId: AppId, on: z.boolean(), project: z.exactOptional(Id) }),
      answer: ({ appId, on, project }) => library.switch(appId, on, project),
    },
    'apps.remove': { input: OneApp, answer: ({ appId }) => runtime.remove(appId) },
    'apps.update': {
      input: Nothing,
      answer: async (_, { signal }) => ({ outcomes: await runtime.update(signal) }),
    },
    'apps.checkRevocations': {
      input: Nothing,
      answer: (_, { signal }) => runtime.revocations.check(signal),
    },
    'apps.settings': {
      input: OneApp,
      answer: ({ appId }) => ({ values: valuesOf(requireApp(library, appId), settings) }),
    },
    'apps.saveSettings': {
      input: z.strictObject({ appId: AppId, values: Values }),
      async answer({ appId, values }) {
        const app = requireApp(library, appId);
        requireDeclared(app, values);
        await settings.saveAppValues(appId, values);
        panels.changeAll(appId, { settings: valuesOf(app, settings) });
      },
    },
  };
}
