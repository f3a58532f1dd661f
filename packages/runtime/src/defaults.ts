import { join } from 'node:path';
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

/** Fills in the defaults of this machine. */
export function withDefaults(options: RuntimeOptions): CompleteOptions {
  const { ambient = defaultSystem, ...given } = options;
  const { name = 'svc client', ...client } = given.client ?? {};
  return {
    system: ambient,
    keys: [
      { kind: 'keyring', keyring: systemKeyring(process.env, { programs: given.programs ?? {} }) },
      { kind: 'key-file', file: join(given.folder, 'vault.key') },
    ],
    identity: { name },
    openBrowser: openInSystem(given.folder),
    onFault: (error) => process.emitWarning(error instanceof Error ? error : new Error(String(error))),
    ...given,
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
