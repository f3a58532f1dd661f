import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, ROOT } from './lib/processes.ts';

const VERSIONS = 1_000;

/** `svc-store drill`: an emergency on a publisher with a thousand versions, up to the gateway of a desktop. */
export function drill(): Promise<Figure> {
  return inTempFolder(async (TMPDIR) => {
    const words = [join(ROOT, 'apps/store/src/main.ts'), 'drill', '--versions', String(VERSIONS)];
    const env = { PATH: process.env.PATH, TMPDIR };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
    const [acted = 0, listed = 0, disabled = 0] = Array.from(stdout.matchAll(/\b(\d{1,9}) ms/g), ([, ms]) =>
      Number(ms),
    );
    if (status !== 0) throw new Error(stderr);
    return {
      name: `Emergency on a publisher with ${VERSIONS} versions: one signed list, bundles refused`,
      measured: `list fetched after ${listed} ms, off at a desktop that fetches it and behind its gateway after ${disabled} ms`,
      value: acted,
      unit: ' ms',
      bound: { most: 2_000 },
    };
  });
}
