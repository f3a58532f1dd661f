import type { InteropFiles } from '@svc/testkit';
import { vectorFiles } from '../../packages/bundle/test/support/interop-vectors.ts';
import { logFiles } from '../../packages/log/test/support/log-vectors.ts';
import { diffFiles } from '../../packages/permissions/test/support/interop-vectors.ts';
import { relayFiles } from '../../packages/runtime/test/support/relay-vectors.ts';
import { factFiles } from '../../packages/signing/test/support/fact-vectors.ts';
import { headFiles } from '../../packages/signing/test/support/head-vectors.ts';
import { keyFiles } from '../../packages/signing/test/support/key-vectors.ts';
import { revocationFiles } from '../../packages/signing/test/support/revocation-vectors.ts';
import { toolFiles } from '../../packages/signing/test/support/tool-vectors.ts';
import { textFiles } from '../../packages/text/test/support/interop-vectors.ts';

/** The vectors of each folder of `interop`, which the tests of its package define. */
const FOLDERS: Readonly<Record<string, () => InteropFiles>> = {
  bundle: vectorFiles,
  head: headFiles,
  keys: keyFiles,
  log: logFiles,
  permissions: diffFiles,
  relay: relayFiles,
  revocations: revocationFiles,
  signing: factFiles,
  text: textFiles,
  tools: toolFiles,
};

/** Generates the vectors for other implementations. */
export async function generateInterop(): Promise<Map<string, Uint8Array>> {
  return new Map(
    Object.entries(FOLDERS).flatMap(([folder, files]) =>
      [...files()].map(([name, bytes]) => [`interop/${folder}/${name}`, bytes] as const),
    ),
  );
}
