import {
  compareVersions,
  hostOfAddress,
  type ManagedKey,
  type ManagedSettings,
  matchesHostOf,
  refusedByAddress,
  refusedById,
} from '@svc/contracts';
import { isSameAddress } from '../connectors/connector-app.ts';
import { enforcedFootprint, type InstalledApp, localPartOf } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The sets of settings in force. Each must allow what is done: a set that leaves something out takes nothing back from another. */
export type Rules = readonly ManagedSettings[];

/** What is allowed to a desktop whose settings are not known yet: nothing that a company may refuse. */
export const STRICTEST: ManagedSettings = {
  allowedApps: [],
  allowedConnectors: [],
  localConnectors: false,
  allowedProviders: [],
  allowedAgents: [],
  exportChats: false,
  developerMode: false,
};

/** @param what such as `the app com.example.notes` */
const notAllowed = (setting: ManagedKey, what: string, more: { appId?: string } = {}): RuntimeError =>
  new RuntimeError('not-allowed', `Your company does not allow ${what}.`, { detail: { setting, ...more } });

/**
 * The mirrors of the store that are asked: those of the first set that names any, which is that of the machine before that of the store; else
 * those that the user or the client gives.
 */
export const mirrorsOf = (rules: Rules, given: readonly string[]): readonly string[] =>
  rules.find(({ mirrors }) => mirrors !== undefined)?.mirrors ?? given;

/** An app or connector, as far as settings are about it. */
export type ManagedSubject = Pick<InstalledApp, 'appId' | 'manifest' | 'source' | 'version'>;

/** The same for what starts something that is on or off. */
const isOff = (rules: Rules, key: 'localConnectors' | 'exportChats' | 'developerMode'): boolean =>
  rules.some((set) => set[key] === false);

/** Why a connector at an address may not be used; null if it may. */
function refusalOfAddress(rules: Rules, address: string): RuntimeError | null {
  for (const set of rules) {
    const setting = refusedByAddress(set, address);
    if (setting) return notAllowed(setting, `connectors at ${hostOfAddress(address)}`);
  }
  return null;
}

/** Why an app may not be used, by its id alone; null if it may. */
export function refusalOfId(rules: Rules, appId: string): RuntimeError | null {
  for (const set of rules) {
    const setting = refusedById(set, appId);
    if (setting) return notAllowed(setting, `the app ${appId}`, { appId });
  }
  return null;
}

/** Why local connectors may not be used; null if they may. */
export const refusalOfLocal = (rules: Rules): RuntimeError | null =>
  isOff(rules, 'localConnectors')
    ? notAllowed('localConnectors', 'connectors on this computer and the local network')
    : null;

/** Why folders under development may not be opened; null if they may. */
export const refusalOfDevelopment = (rules: Rules): RuntimeError | null =>
  isOff(rules, 'developerMode') ? notAllowed('developerMode', 'apps under development') : null;

/** Why conversations may not be exported; null if they may. */
export const refusalOfExport = (rules: Rules): RuntimeError | null =>
  isOff(rules, 'exportChats') ? notAllowed('exportChats', 'the export of conversations') : null;

/** The oldest version of an app that works; null where any does. */
const oldestOf = (rules: Rules, appId: string): string | null =>
  rules
    .flatMap(({ minimumVersions }) => minimumVersions?.[appId] ?? [])
    .toSorted(compareVersions)
    .at(-1) ?? null;

/** Whether a version is older than the company allows. */
export const isTooOld = (rules: Rules, appId: string, version: string): boolean => {
  const oldest = oldestOf(rules, appId);
  return oldest !== null && compareVersions(version, oldest) < 0;
};

function refusalOfSource(rules: Rules, app: ManagedSubject): RuntimeError | null {
  const { appId, source } = app;
  if (source.kind === 'connector')
    return localPartOf(app) === null ? refusalOfAddress(rules, source.url) : refusalOfLocal(rules);
  if (source.kind === 'developer') return refusalOfDevelopment(rules) ?? refusalOfId(rules, appId);
  // What the client brings is the client's: only its own name refuses it.
  const named = rules.map(({ refusedApps = [] }) => ({ refusedApps }));
  return refusalOfId(source.kind === 'built-in' ? named : rules, appId);
}

/** Why an app or connector may not be used; null if it may. */
export function refusalOf(rules: Rules, app: ManagedSubject): RuntimeError | null {
  const { appId, source, version } = app;
  const bySource = refusalOfSource(rules, app);
  if (bySource || source.kind === 'built-in' || source.kind === 'connector') return bySource;
  const { grants } = enforcedFootprint(app);
  for (const { refusedPermissions = [] } of rules) {
    const grant = grants.find((one) => refusedPermissions.includes(one));
    if (grant)
      return notAllowed('refusedPermissions', `the permission ${grant}, which this app needs`, { appId });
  }
  if (!isTooOld(rules, appId, version)) return null;
  return notAllowed('minimumVersions', `versions of this app before ${oldestOf(rules, appId)}`, { appId });
}

/** Whether users may not switch off or remove an app or connector. */
const isRequired = (rules: Rules, { appId, source }: Pick<InstalledApp, 'appId' | 'source'>): boolean =>
  rules.some(({ requiredApps = [], requiredConnectors = [] }) =>
    source.kind === 'connector'
      ? requiredConnectors.some((address) => isSameAddress(address, source.url))
      : source.kind === 'store' && requiredApps.includes(appId),
  );

/** @throws RuntimeError `not-allowed` for an app that the company requires */
export function requireNotRequired(rules: Rules, app: Pick<InstalledApp, 'appId' | 'source'>): void {
  if (!isRequired(rules, app)) return;
  const setting = app.source.kind === 'connector' ? 'requiredConnectors' : 'requiredApps';
  throw new RuntimeError('not-allowed', 'Your company requires this app.', {
    detail: { setting, appId: app.appId },
  });
}

/** Why a model may not be used; null if it may. @param baseUrl of its provider */
export function refusalOfModel(rules: Rules, baseUrl: string, model: string | null): RuntimeError | null {
  const host = hostOfAddress(baseUrl);
  const named = ['127.0.0.1', '[::1]'].includes(host) ? 'localhost' : host;
  const isModel = (patterns: readonly string[]) =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? model?.startsWith(pattern.slice(0, -1)) : pattern === model,
    );
  for (const { allowedProviders, allowedModels } of rules) {
    if (allowedProviders && !matchesHostOf(allowedProviders, named))
      return notAllowed('allowedProviders', `models at ${named}`);
    if (allowedModels && model !== null && !isModel(allowedModels))
      return notAllowed('allowedModels', `the model ${model}`);
  }
  return null;
}

/** Why an agent may not use the apps; null if it may. @param names the known names of the agent: none for an unknown one */
export function refusalOfAgent(rules: Rules, names: readonly string[]): RuntimeError | null {
  for (const { allowedAgents } of rules) {
    const isAllowed = names.length > 0 && names.every((name) => allowedAgents?.includes(name));
    if (allowedAgents && !isAllowed) return notAllowed('allowedAgents', 'this agent');
  }
  return null;
}

/** Minutes since midnight of a time such as `22:00`. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function isWithinHours(now: Date, { from, to }: NonNullable<ManagedSettings['updateHours']>): boolean {
  const minute = now.getHours() * 60 + now.getMinutes();
  const [start, end] = [minutesOf(from), minutesOf(to)];
  // Hours such as 22:00 to 06:00 go over midnight.
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/**
 * Whether updates are installed by themselves now.
 * @param chosen what the user chose, where the company leaves it to them
 */
export function installsNow(rules: Rules, now: Date, chosen: boolean): boolean {
  const set = rules.flatMap(({ installUpdates }) => installUpdates ?? []);
  const isOn = set.length > 0 ? set.every(Boolean) : chosen;
  return isOn && rules.every(({ updateHours }) => !updateHours || isWithinHours(now, updateHours));
}

/** The hours that apps of the store work without contact to it; null where the company sets none. */
export const memberHoursOf = (rules: Rules): number | null =>
  rules.flatMap(({ memberHours }) => memberHours ?? []).toSorted((a, b) => a - b)[0] ?? null;
