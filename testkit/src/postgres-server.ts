import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { appendFile, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { findPrograms, type PostgresFiles, type Programs, preparePostgres } from './postgres-files.ts';

/** A database with a language, like most: queries that sort by bytes must say so. Messages are in English, for the tests. */
const INITDB = [
  '--username=postgres',
  '--auth=password',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
];

/** Settings of a server without durability: it does not wait for the disk. */
export const FAST_POSTGRES = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const READY = /database system is ready to accept (?:read-only )?connections/;

/** How much output of a program is kept for an error message, in characters. */
const KEPT_OUTPUT = 4_000;

/** A server that follows another one. */
export type PostgresReplica = {
  /** Its port on this machine; password and databases are those of the server that it follows. */
  port: number;
  /** Makes it a server of its own, with what it has got so far. */
  promote(): Promise<void>;
  /** Starts a replica of it, once it is a server of its own. @param via as of the first one */
  replica(via: number): Promise<PostgresReplica>;
  /** Kills it, and removes its files. */
  close(): Promise<void>;
};

/** A PostgreSQL of this process. */
export type PostgresServer = {
  /** Its URL, to which the name of a database is appended. */
  url: string;
  /** Process id of its main process, while it runs. */
  pid(): number;
  createDatabase(name: string): Promise<void>;
  /** Shuts it down cleanly, which closes all connections; `start` starts it again. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL, like a crash of the machine. */
  kill(): Promise<void>;
  /** @throws when it does not start */
  start(): Promise<void>;
  /**
   * Starts a replica: streaming and asynchronous, as companies have it.
   * @param via the port at which it reaches this server, such as that of a proxy that can be cut
   */
  replica(via: number): Promise<PostgresReplica>;
  /** Stops it, and removes its files. */
  close(): Promise<void>;
};

/** The last output of a program. */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
    });
  }
  return () => text.trim();
}

/** Starts a program as the server's user, in a working directory that this user may enter. */
function run({ owner, folder }: PostgresFiles, program: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, LC_ALL: 'C' };
  return spawn(program, args, { ...owner, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Creates an empty cluster. */
async function initialise(files: PostgresFiles, data: string, password: string): Promise<void> {
  const passwordFile = join(files.folder, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 });
  const child = run(files, files.initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...INITDB]);
  const said = outputOf(child);
  const [code] = await once(child, 'close');
  rmSync(passwordFile);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`);
}

/** Starts the server, and waits until it accepts connections. */
function startServer(files: PostgresFiles, args: readonly string[]): Promise<ChildProcess> {
  const child = run(files, files.postgres, args);
  const said = outputOf(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PostgreSQL ended as it started: ${said()}`)));
    child.stderr?.on('data', () => {
      if (READY.test(said())) resolve(child);
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

/** Runs statements one after the other on one connection. @returns the rows of the last one */
async function onConnection(url: string, statements: readonly (string | (() => Promise<void>))[]) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Record<string, string>[] = [];
    for (const one of statements) {
      if (typeof one === 'string') ({ rows } = await client.query(one));
      else await one();
    }
    return rows;
  } finally {
    await client.end();
  }
}

/** Copies a running server by the low-level API of PostgreSQL (section 25.3.3.1), as a standby. */
async function copyRunning(files: PostgresFiles, data: string, url: URL, via: number): Promise<string> {
  const copy = join(files.folder, `replica-${randomUUID()}`);
  const copyFiles = async () => {
    // With the owner and the modes that the server requires.
    const child = run(files, 'cp', ['-a', data, copy]);
    await once(child, 'close');
    rmSync(join(copy, 'postmaster.pid'), { force: true });
  };
  const [stopped] = await onConnection(new URL('postgres', url).href, [
    "select pg_backup_start('replica', true)",
    copyFiles,
    'select labelfile from pg_backup_stop(false)',
  ]);
  for (const [name, content = ''] of [['backup_label', stopped?.labelfile], ['standby.signal']] as const) {
    const file = join(copy, name);
    await writeFile(file, content);
    const { uid, gid } = files.owner;
    if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
  }
  const { username, password, hostname } = url;
  const conninfo = `host=${hostname} port=${via} user=${username} password=${password}`;
  // A connection that was cut is tried again after 100 ms instead of 5 s.
  const lines = [`primary_conninfo = '${conninfo}'`, 'wal_retrieve_retry_interval = 100'];
  await appendFile(join(copy, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  return copy;
}

/**
 * Starts a real PostgreSQL on a free port, in a folder of its own. It ends with this process.
 * @param settings parameters of the server, as `name=value`
 * @param programs folder of the programs, if not that of npm
 * @throws when it cannot be started on this machine; removes all files in this case
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
  const replicas = new Set<ChildProcess>();
  const leave = () => {
    // Also ends its other processes and releases its shared memory, unlike SIGKILL.
    for (const one of [child, ...replicas]) one?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', leave);
  const close = async () => {
    for (const one of [child, ...replicas]) if (one) await end(one, 'SIGINT');
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    process.off('exit', leave);
  };
  try {
    await initialise(files, data, password);
    const port = await freePort();
    const given = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
    const argsOf = (folder: string, at: number) => [
      ...['-D', folder, '-p', String(at)],
      ...given.flatMap((setting) => ['-c', setting]),
    ];
    const start = async () => {
      child = await startServer(files, argsOf(data, port));
    };
    const replicaOf = async (source: string, at: URL, via: number): Promise<PostgresReplica> => {
      const [copy, own] = [await copyRunning(files, source, at, via), await freePort()];
      const standby = await startServer(files, argsOf(copy, own));
      replicas.add(standby);
      const itself = Object.assign(new URL('postgres', at), { port: String(own) });
      return {
        port: own,
        promote: async () => void (await onConnection(itself.href, ['select pg_promote()'])),
        replica: (next) => replicaOf(copy, itself, next),
        async close() {
          await end(standby, 'SIGKILL');
          replicas.delete(standby);
          await rm(copy, { recursive: true, force: true, maxRetries: 10 });
        },
      };
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
      replica: (via) => replicaOf(data, new URL(url), via),
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
