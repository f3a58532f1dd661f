import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, freePort } from '@svc/testkit';
import { faultsIn } from '@svc/testkit/hostile-requests';
import type { Memory } from './preload/memory.ts';
import type { Command, Order, Reply } from './preload/strike.ts';

const MAIN = fileURLToPath(new URL('../../apps/store/src/main.ts', import.meta.url));
const PRELOAD = new URL('./preload/main.ts', import.meta.url).href;

/** Startup timeout, for a busy machine. */
const START_MS = 180_000;
/** Keeps the end of a process's output, for failures. */
const KEPT_CHARACTERS = 20_000;

export const ADMIN_TOKEN = 'torture-automation-0123456789';

/** The address of every store, which stays that of its log while its ports change. */
export const BASE_URL = 'http://localhost';

const FIXED = { SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_BASE_URL: BASE_URL };

/** A store in a child process. */
export type StoreProcess = {
  url: string;
  /** Injects a fault at a following step. */
  arm(order: Order): Promise<void>;
  /** Stops injecting faults; returns the steps since `arm`, and the failed one. */
  disarm(): Promise<{ steps: string[]; struck: string | null }>;
  /** Shifts its clock by the given milliseconds. */
  shiftClock(ms: number): Promise<void>;
  /** Collects its garbage, and measures its memory. */
  memory(): Promise<Memory>;
  /** Writes its heap snapshot to a file. */
  snapshot(file: string): Promise<void>;
  pid: number;
  /** Resolves when the process has exited. */
  gone: Promise<void>;
  isGone(): boolean;
  /** SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL if it does not exit. */
  stop(): Promise<void>;
  /** The end of its output. */
  said(): string;
  /** The lines of its output about errors that no code expected. */
  faults(): string[];
};

/** How a store process runs. */
export type ProcessOptions = {
  /** A command of the shell before it, such as `ulimit -n 100`. */
  limits?: string;
  /** Where its log goes: it is read (default), to a pipe that is not read, to one without a reader, or to a file descriptor. */
  log?: 'read' | 'unread' | 'closed' | number;
};

const running = new Set<ChildProcess>();
// An aborted run must not leave stores running.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function ask(child: ChildProcess, command: Command): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('The store died before it answered its torturer.'));
    child.once('exit', gone);
    child.once('message', (reply: Reply) => {
      child.off('exit', gone);
      resolve(reply);
    });
    child.send(command, (error) => error && reject(error));
  });
}

/** Waits until a store that writes no readable log answers on its port. */
async function answersOn(port: number, child: ChildProcess, said: () => string): Promise<number> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    if (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)) return port;
    await sleep(20);
  }
  child.kill('SIGKILL');
  throw new Error(`The store did not start: ${said().slice(-2_000)}`);
}

async function portOf(child: ChildProcess, said: () => string): Promise<number> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const port = /"port":(\d+)/.exec(said())?.[1];
    if (port !== undefined) return Number(port);
    await sleep(10);
  }
  child.kill('SIGKILL');
  throw new Error(`The store did not start: ${said().slice(-2_000)}`);
}

/** The result of a command of `svc-store`; its code is null when a signal ended it. */
export type CommandRun = { code: number | null; said: string; ms: number };

/** Runs a command of `svc-store`, and kills it after `ms` milliseconds. */
export async function runStoreCommand(
  settings: Readonly<Record<string, string>>,
  words: readonly string[],
  killAfterMs?: number,
): Promise<CommandRun> {
  const env = { ...bareEnvironment(), ...FIXED, PORT: '0', ...settings };
  const began = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => {
    said = (said + piece).slice(-KEPT_CHARACTERS);
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  running.delete(child);
  return { code, said, ms: performance.now() - began };
}

/** The output of a process: its end, and the lines about faults. */
function listenTo(child: ChildProcess, log: ProcessOptions['log']) {
  let text = '';
  const faults: string[] = [];
  const keep = (piece: Buffer) => {
    text = (text + piece).slice(-KEPT_CHARACTERS);
    faults.push(...faultsIn(piece.toString()));
  };
  if (log === 'read') child.stdout?.on('data', keep);
  if (log === 'closed') child.stdout?.destroy();
  child.stderr?.on('data', keep);
  return { said: () => text, faults: () => faults };
}

/** Starts the store as in production, with fault injection. */
export async function startStoreProcess(
  settings: Readonly<Record<string, string>>,
  { limits = ':', log = 'read' }: ProcessOptions = {},
): Promise<StoreProcess> {
  const fixedPort = log === 'read' ? 0 : await freePort();
  const env = { ...bareEnvironment(), ...FIXED, PORT: String(fixedPort), ...settings };
  const words = ['-c', `${limits}; exec "$@"`, 'sh', process.execPath, '--import', PRELOAD, MAIN];
  const child = spawn('sh', words, {
    env,
    stdio: ['ignore', typeof log === 'number' ? log : 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  const gone = once(child, 'exit').then(() => void running.delete(child));
  const { said, faults } = listenTo(child, log);
  const port = fixedPort === 0 ? await portOf(child, said) : await answersOn(fixedPort, child, said);
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    arm: async (order) => void (await ask(child, { order })),
    disarm: async () => (await ask(child, { report: true })) as { steps: string[]; struck: string | null },
    shiftClock: async (ms) => void (await ask(child, { shiftMs: ms })),
    memory: async () => ((await ask(child, { memory: true })) as { memory: Memory }).memory,
    snapshot: async (file) => void (await ask(child, { snapshot: file })),
    pid: child.pid as number,
    gone,
    isGone: () => !running.has(child),
    kill,
    async stop() {
      child.kill('SIGTERM');
      const isSlow = await Promise.race([gone.then(() => false), sleep(10_000, true, { ref: false })]);
      if (isSlow) await kill();
    },
    said,
    faults,
  };
}
