import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { pageOpener } from './browser/page-opener.ts';
import { systemKeyring } from './keyring/keyring.ts';
import { defaultSystem } from './platform/default-system.ts';
import { RuntimeError } from './platform/runtime-error.ts';
import type { CompleteOptions, RuntimeOptions } from './runtime-options.ts';

/** An origin that nobody has (RFC 6761 section 6.4): panels are shown nowhere until the client says where its page is. */
const NO_PAGE = 'https://client.invalid';

/** Opens a page in the browser of the system. */
async function openInSystem(url: string): Promise<void> {
  const open = pageOpener(process.platform, process.env);
  if (!(await open?.(url)))
    throw new RuntimeError('not-offered', 'No browser can be opened on this machine.');
}

/** The options with everything that has one right answer on this machine, unless the client says otherwise. */
export function withDefaults(options: RuntimeOptions): CompleteOptions {
  const { name = 'svc client', ...client } = options.client ?? {};
  return {
    ambient: defaultSystem,
    keys: [
      { kind: 'keyring', keyring: systemKeyring(process.env) },
      { kind: 'key-file', file: join(options.folder, 'vault.key') },
    ],
    identity: { name },
    openBrowser: openInSystem,
    onFault: (error) => process.emitWarning(error instanceof Error ? error : new Error(String(error))),
    ...options,
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
