import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { drillWithPrograms } from './drill-programs.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, ROOT } from './lib/processes.ts';

const VERSIONS = 1_000;

/** `svc-store drill`: an emergency on a publisher with a thousand versions, up to the gateway of a desktop. */
function inOneProgram(): Promise<Figure> {
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

/** The same with store, desktop and gateway as programs, and a store that is killed after the yank. */
async function withPrograms(): Promise<Figure> {
  const { before, whileDown, after, upMs, ms } = await drillWithPrograms();
  if (before === 0 || whileDown.off || !after.off || after.offered > 0)
    throw new Error(`The drill failed: ${JSON.stringify({ before, whileDown, after })}`);
  return {
    name: 'A yank, SIGKILL of the store once it has answered, and its start, until a desktop that fetches the list has switched the app off, and the gateway of an agent no longer offers it',
    measured: `each a program of its own; ${upMs.toFixed(0)} ms of it is the start of the store`,
    value: ms,
    unit: ' ms',
    bound: { most: 10_000 },
  };
}

/** An emergency, measured in one program and with all programs. */
export const drill = async (): Promise<Figure[]> => [await inOneProgram(), await withPrograms()];
