import { z } from 'zod';
import { invalid } from '../http/exchange.ts';
import type { AppValues } from '../settings/settings.ts';
import type { AppView } from '../wire/views.ts';
import { requireApp, viewOf } from './app-view.ts';
import { AppId, type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

const MOST_TEXT = 10_000;

const OneApp = z.strictObject({ appId: AppId });
const Values = z.record(Id, z.union([z.string().max(MOST_TEXT), z.number(), z.boolean()]));

type Setting = NonNullable<AppView['manifest']['contributes']['settings']>[number];

const isFor = ({ type, options = [] }: Setting, value: AppValues[string]): boolean =>
  type === 'select' ? typeof value === 'string' && options.includes(value) : typeof value === type;

/** Sees to it that values are those of settings that the app declares. */
function requireDeclared(settings: readonly Setting[], values: AppValues): void {
  for (const [id, value] of Object.entries(values)) {
    const setting = settings.find((one) => one.id === id);
    if (!setting) throw invalid('The app has no such setting.');
    if (!isFor(setting, value)) throw invalid(`“${setting.label}” does not take this value.`);
  }
}

/** What apps are set to: what the person set, else what the manifest says. */
function valuesOf(settings: readonly Setting[], set: AppValues): AppValues {
  const values: AppValues = {};
  for (const setting of settings) {
    const given = set[setting.id];
    const value = given !== undefined && isFor(setting, given) ? given : setting.default;
    if (value !== undefined) values[setting.id] = value;
  }
  return values;
}

/** The apps on this machine. */
export function appCalls({ desktop: { runtime, settings } }: PageParts): CallsOf<'apps'> {
  const { library } = runtime;
  const declared = (appId: string) => requireApp(library, appId).manifest.contributes.settings ?? [];
  return {
    'apps.list': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => ({ apps: library.list(project).map((app) => viewOf(library, app, project)) }),
    },
    'apps.switch': {
      input: z.strictObject({ appId: AppId, on: z.boolean(), project: z.exactOptional(Id) }),
      answer({ appId, on, project }) {
        library.switch(appId, on, project);
        return {};
      },
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
      answer: ({ appId }) => ({ values: valuesOf(declared(appId), settings.appValues(appId)) }),
    },
    'apps.saveSettings': {
      input: z.strictObject({ appId: AppId, values: Values }),
      async answer({ appId, values }) {
        requireDeclared(declared(appId), values);
        await settings.saveAppValues(appId, values);
        return {};
      },
    },
  };
}
