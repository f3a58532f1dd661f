import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defaultSystem } from '@svc/runtime/default-system';
import { freePort } from '@svc/testkit';
import { findRunningDesktop } from '../../apps/desktop/src/control/find-running-desktop.ts';
import { bundleCli } from '../release/bundle-cli.ts';
import type { Figure } from './lib/figure.ts';
import { packedStore } from './lib/packed-store.ts';
import { inTempFolder, median, ROOT } from './lib/processes.ts';

const ROUNDS = 7;
const PAUSE_MS = 10;
const GIVE_UP_MS = 30_000;

async function firstAnswer(url: string): Promise<void> {
  const giveUp = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUp) {
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`${url} did not respond.`);
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });

/** Time of a store from start to the first response, on an empty data folder, in milliseconds. */
async function coldStart(command: string, args: readonly string[]): Promise<number> {
  return inTempFolder(async (folder) => {
    const port = await freePort();
    const env = {
      ...process.env,
      PORT: String(port),
      SVC_DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'silent',
    };
    const started = performance.now();
    const child = spawn(command, args, { cwd: ROOT, env, detached: true, stdio: 'ignore' });
    await firstAnswer(`http://127.0.0.1:${port}/api/apps/catalog`);
    const took = performance.now() - started;
    await stop(child);
    return took;
  });
}

/** Starts a store repeatedly; the first round fills the compile cache and does not count. */
async function startFigure(
  name: string,
  most: number,
  command: string,
  args: readonly string[],
): Promise<Figure> {
  const first = await coldStart(command, args);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await coldStart(command, args));
  return {
    name,
    measured: `${Math.round(Math.min(...rounds))} to ${Math.round(Math.max(...rounds))} ms; the first time ${Math.round(first)} ms`,
    value: median(rounds) / 1000,
    unit: ' s',
    bound: { most },
  };
}

/** `npm start` in a clone on an empty data folder, until the catalogue responds. */
export const start = (): Promise<Figure> =>
  startFigure('`npm start` on an empty data folder, once installed, to the first response', 0.9, 'npm', [
    'start',
  ]);

/** The same for the packed store. */
export async function startPacked(): Promise<Figure> {
  const name = 'The packed store on an empty data folder, to the first response';
  return startFigure(name, 0.5, process.execPath, [await packedStore()]);
}

const timeOf = (args: string[]): number => {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}`);
  return performance.now() - started;
};

/** The packed command line. @returns its folder */
const packedCli = (): Promise<string> => bundleCli(join(ROOT, 'node_modules', '.cache', 'bench-cli'));

/** Ends the desktop that a gateway has started in a folder. */
async function endDesktop(folder: string): Promise<void> {
  const running = await findRunningDesktop(folder, { system: defaultSystem });
  if (!running) return;
  process.kill(running.pid, 'SIGTERM');
  while (await findRunningDesktop(folder, { system: defaultSystem }))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Starts the gateway as an agent does, with no desktop running. @returns milliseconds to the first answers */
function gatewayStart(program: string): Promise<{ initialize: number; list: number }> {
  return inTempFolder(async (home) => {
    const folder = join(home, 'desktop');
    const words = ['gateway', '--folder', folder, '--store', 'http://127.0.0.1:1'];
    const started = performance.now();
    const child = spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const ask = async (id: number, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      for await (const [line] of on(lines, 'line'))
        if ((JSON.parse(line) as { id?: number }).id === id) return performance.now() - started;
      throw new Error('The gateway has ended.');
    };
    try {
      const clientInfo = { name: 'bench', version: '1.0.0' };
      const initialize = await ask(0, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo,
      });
      return { initialize, list: await ask(1, 'tools/list', {}) };
    } finally {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      await endDesktop(folder);
    }
  });
}

/** The answer of `svc gateway` to `initialize` when no desktop runs, for which agents wait at their own start. */
export async function gatewayInitialize(): Promise<Figure> {
  const program = join(await packedCli(), 'lib', 'desktop.js');
  const rounds: Awaited<ReturnType<typeof gatewayStart>>[] = [];
  const floors: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    floors.push(timeOf(['-e', '0']));
    rounds.push(await gatewayStart(program));
  }
  const times = rounds.map(({ initialize }) => initialize);
  return {
    name: 'The packed `svc gateway` with no desktop running and an empty home, from its start to the answer to `initialize`',
    measured: `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms, a bare \`node -e 0\` ${Math.round(median(floors))} ms; with its desktop started, the first list after ${Math.round(median(rounds.map(({ list }) => list)))} ms`,
    value: median(times),
    unit: ' ms',
    bound: { most: 300 },
  };
}

/** `svc --version` against an empty Node program. */
export async function cliVersion(): Promise<Figure> {
  const program = join(await packedCli(), 'bin', 'svc.js');
  const rounds = Array.from({ length: 21 }, () => ({
    floor: timeOf(['-e', '0']),
    ours: timeOf([program, '--version']),
  }));
  const ours = median(rounds.map((round) => round.ours));
  const floor = median(rounds.map((round) => round.floor));
  return {
    name: '`svc --version` of the packed command line beyond a bare `node -e 0`',
    measured: `${ours.toFixed(0)} against ${floor.toFixed(0)} ms`,
    value: median(rounds.map((round) => round.ours - round.floor)),
    unit: ' ms',
    bound: { most: 40 },
  };
}
