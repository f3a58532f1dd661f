import { join } from 'node:path';
import { mayReach, type PrivateNetworks, readPrivateNetworks } from '@svc/contracts/public-address';
import manifest from '../package.json' with { type: 'json' };
import { pageOpener } from './browser/page-opener.ts';
import { systemKeyring } from './keyring/keyring.ts';
import { defaultSystem } from './platform/default-system.ts';
import { RuntimeError } from './platform/runtime-error.ts';
import type { CompleteOptions, RuntimeOptions } from './runtime-options.ts';

/** An origin that cannot exist (RFC 6761 section 6.4): no page can show panels until the client gives its own origin. */
const NO_PAGE = 'https://client.invalid';

/** Opens a page in the system's browser. */
const openInSystem =
  (folder: string) =>
  async (url: string): Promise<void> => {
    const open = pageOpener({ platform: process.platform, env: process.env, folder });
    if (!(await open?.(url)))
      throw new RuntimeError('not-offered', 'No browser can be opened on this machine.');
  };

/** The networks of the options. @throws TypeError for an invalid list */
export function networksIn({
  privateNetworks = [],
}: Pick<RuntimeOptions, 'privateNetworks'>): () => PrivateNetworks {
  if (typeof privateNetworks === 'function') return () => readPrivateNetworks(privateNetworks());
  const networks = readPrivateNetworks(privateNetworks);
  return () => networks;
}

/** Fills in the defaults of this machine. @throws TypeError for invalid private networks */
export function withDefaults(options: RuntimeOptions): CompleteOptions {
  const networks = networksIn(options);
  const { name = 'svc client', ...client } = options.client ?? {};
  return {
    system: defaultSystem,
    keys: [
      { kind: 'keyring', keyring: systemKeyring(process.env, { programs: options.programs ?? {} }) },
      { kind: 'key-file', file: join(options.folder, 'vault.key') },
    ],
    identity: { name },
    openBrowser: openInSystem(options.folder),
    onFault: (error) => process.emitWarning(error instanceof Error ? error : new Error(String(error))),
    ...options,
    connecting: {
      isPublic: (address, host) => mayReach(networks())(address, host),
      network: options.network,
      ...options.connecting,
    },
    client: {
      version: manifest.version,
      origin: NO_PAGE,
      platform: process.platform,
      arch: process.arch,
      builtInApps: [],
      ...client,
      name,
    },
  };
}
