import { compareVersions } from '@svc/contracts';
import { isSameAddress } from '../connectors/connector-app.ts';
import type { Installer } from '../install/installer.ts';
import type { Library } from '../library/library.ts';
import { asRefusal } from '../platform/runtime-error.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { isTooOld, type Rules } from './rules.ts';

/** A requirement that is not met: an app by its id, or a connector by its address. */
export type Problem = { of: string; message: string };

/** Installs, updates and adds what the settings require. @returns what could not be */
export type Carry = (signal?: AbortSignal) => Promise<Problem[]>;

export type CarryDeps = {
  rules(): Rules;
  library: Pick<Library, 'list' | 'get' | 'switch'>;
  installer: Installer;
  reader: Pick<StoreReader, 'store'>;
  addConnector(url: string, signal?: AbortSignal): Promise<unknown>;
};

/** Creates what carries out the requirements of a company, which agrees for its users to the permissions of the apps that it requires. */
export function createCarry({ rules, library, installer, reader, addConnector }: CarryDeps): Carry {
  async function installLatest(appId: string, agrees: boolean, signal?: AbortSignal): Promise<void> {
    const sheet = await installer.prepareInstall(appId, undefined, signal);
    const answer = { accepted: true as const, binding: sheet.binding };
    if (!sheet.needsConsent) await installer.install(sheet);
    else if (agrees) await installer.install(sheet, answer);
  }

  async function meetApp(appId: string, signal?: AbortSignal): Promise<void> {
    const app = library.get(appId);
    if (!app) return installLatest(appId, true, signal);
    if (app.yanked || isTooOld(rules(), appId, app.version)) {
      const latest = await installer.latest(appId, signal);
      // As long as the yanked version is the newest one, there is nothing to install.
      if (compareVersions(latest, app.version) > 0) return installLatest(appId, true, signal);
    }
    if (!app.on && !app.yanked) library.switch(appId, true);
  }

  async function meetConnector(address: string, signal?: AbortSignal): Promise<void> {
    const found = library
      .list()
      .find(({ source }) => source.kind === 'connector' && isSameAddress(source.url, address));
    if (!found) await addConnector(address, signal);
    else if (!found.on) library.switch(found.appId, true);
  }

  /** Apps that no user has to have, in a version that does not work any more. */
  const tooOld = (required: readonly string[]): string[] =>
    library
      .list()
      .filter(({ appId, source, version }) =>
        source.kind === 'store' && source.store === reader.store
          ? !required.includes(appId) && isTooOld(rules(), appId, version)
          : false,
      )
      .map(({ appId }) => appId);

  return async (signal) => {
    const problems: Problem[] = [];
    async function meet(of: string, work: () => Promise<void>): Promise<void> {
      try {
        await work();
      } catch (error) {
        signal?.throwIfAborted();
        const refusal = asRefusal(error);
        if (!refusal) throw error;
        problems.push({ of, message: refusal.message });
      }
    }
    const all = rules();
    const apps = [...new Set(all.flatMap(({ requiredApps = [] }) => requiredApps))];
    for (const appId of apps) await meet(appId, () => meetApp(appId, signal));
    for (const appId of tooOld(apps)) await meet(appId, () => installLatest(appId, false, signal));
    for (const address of new Set(all.flatMap(({ requiredConnectors = [] }) => requiredConnectors)))
      await meet(address, () => meetConnector(address, signal));
    return problems;
  };
}
