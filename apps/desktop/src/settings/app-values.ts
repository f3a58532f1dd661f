import type { Manifest } from '@svc/contracts';
import type { InstalledApp } from '@svc/runtime';
import { invalid } from '../http/exchange.ts';
import type { AppValues, Settings } from './open-settings.ts';

type App = Pick<InstalledApp, 'appId' | 'manifest'>;
type Setting = NonNullable<Manifest['contributes']['settings']>[number];

const declaredBy = ({ manifest }: App): readonly Setting[] => manifest.contributes.settings ?? [];

const isFor = ({ type, options = [] }: Setting, value: AppValues[string]): boolean =>
  type === 'select' ? typeof value === 'string' && options.includes(value) : typeof value === type;

/**
 * Checks that values match settings that the app declares.
 * @throws HttpError 400
 */
export function requireDeclared(app: App, values: AppValues): void {
  const settings = declaredBy(app);
  for (const [id, value] of Object.entries(values)) {
    const setting = settings.find((setting) => setting.id === id);
    if (!setting) throw invalid('Unknown setting.');
    if (!isFor(setting, value)) throw invalid(`“${setting.label}” does not accept this value.`);
  }
}

/** The setting values of an app: the user's, else the defaults of the manifest. */
export function valuesOf(app: App, settings: Pick<Settings, 'appValues'>): AppValues {
  const set = settings.appValues(app.appId);
  const values: AppValues = {};
  for (const setting of declaredBy(app)) {
    const given = set[setting.id];
    const value = given !== undefined && isFor(setting, given) ? given : setting.default;
    if (value !== undefined) values[setting.id] = value;
  }
  return values;
}
