import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { findPrograms, type PostgresFiles, type Programs, preparePostgres } from './postgres-files.ts';

/** Made for a language, as most databases are: what orders by bytes must say so itself. Messages are those that are looked for. */
const INITDB = [
  '--username=postgres',
  '--auth=password',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
];

/** For a server that nothing has to outlive: it waits for no disk. */
export const FAST_POSTGRES = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const READY = 'database system is ready to accept connections';

/** What is kept of what a program says, for the error that names it; in characters. */
const KEPT_OUTPUT = 4_000;

/** A PostgreSQL of this process. */
export type PostgresServer = {
  /** Its address, to which the name of a database is appended. */
  url: string;
  /** Id of its first process, while it runs. */
  pid(): number;
  createDatabase(name: string): Promise<void>;
  /** Shuts it down in order, which ends every connection; `start` brings it up again. */
  stop(): Promise<void>;
  /** SIGKILL, as if the machine went down with it. */
  kill(): Promise<void>;
  /** @throws when it does not come up */
  start(): Promise<void>;
  /** Stops it, and removes all that it kept. */
  close(): Promise<void>;
};

/** The last that a program said. */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
    });
  }
  return () => text.trim();
}

/** Starts a program as the server's user, without a folder to stand in that this user may not enter. */
function run({ owner, folder }: PostgresFiles, program: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, LC_ALL: 'C' };
  return spawn(program, args, { ...owner, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Makes an empty cluster. */
async function initialise(files: PostgresFiles, data: string, password: string): Promise<void> {
  const passwordFile = join(files.folder, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 });
  const child = run(files, files.initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...INITDB]);
  const said = outputOf(child);
  const [code] = await once(child, 'close');
  rmSync(passwordFile);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`);
}

/** Starts the server, and waits until it takes connections. */
function startServer(files: PostgresFiles, args: readonly string[]): Promise<ChildProcess> {
  const child = run(files, files.postgres, args);
  const said = outputOf(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PostgreSQL ended as it started: ${said()}`)));
    child.stderr?.on('data', () => {
      if (said().includes(READY)) resolve(child);
    });
  });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function end(child: ChildProcess, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(signal);
  await once(child, 'exit');
}

/**
 * Starts a real PostgreSQL on a free port, in a folder of its own. It ends with this process.
 * @param settings parameters of the server, as `name=value`
 * @param programs where they are, when not where npm put them
 * @throws when it cannot be started on this machine; nothing is left then
 */
export async function startPostgres(
  settings: readonly string[],
  programs?: Programs,
): Promise<PostgresServer> {
  const files = preparePostgres(programs ?? (await findPrograms()));
  const { folder } = files;
  const data = join(folder, 'data');
  const password = randomUUID();
  let child: ChildProcess | null = null;
  const leave = () => {
    // Ends its other processes too, and releases its shared memory, which SIGKILL would not.
    child?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', leave);
  const close = async () => {
    if (child) await end(child, 'SIGINT');
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    process.off('exit', leave);
  };
  try {
    await initialise(files, data, password);
    const port = await freePort();
    const given = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
    const args = ['-D', data, '-p', String(port), ...given.flatMap((setting) => ['-c', setting])];
    const start = async () => {
      child = await startServer(files, args);
    };
    await start();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/`;
    return {
      url,
      pid: () => child?.pid ?? 0,
      async createDatabase(name) {
        const client = new pg.Client(`${url}postgres`);
        await client.connect();
        await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).finally(() => client.end());
      },
      stop: async () => void (child && (await end(child, 'SIGINT'))),
      kill: async () => void (child && (await end(child, 'SIGKILL'))),
      start,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
