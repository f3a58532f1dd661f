import { randomBytes, randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { availableParallelism } from 'node:os';
import { FAULT } from '@svc/contracts/guarded';
import { mayReach, type PrivateNetworks } from '@svc/contracts/public-address';
import { trustAuthorities } from '@svc/runtime/authorities';
import { enableProxies } from '@svc/runtime/env-proxy';
import { openCommandLog, openServerLog } from './adapters/log/open-log.ts';
import { createProcessRenderer } from './adapters/picture/process-renderer.ts';
import { createSites } from './adapters/sites/read-sites.ts';
import { openTelemetry } from './adapters/telemetry/open-telemetry.ts';
import { createWorkerInspector } from './adapters/worker/worker-inspector.ts';
import { CommandError } from './composition/commands/command.ts';
import { type HeldPort, holdFreePort } from './composition/held-port.ts';
import { openStore } from './composition/open-store.ts';
import { listen, stopOnSignals } from './composition/serve.ts';
import { startNotes } from './composition/settings/start-notes.ts';
import { readSettings, SettingError, type Settings } from './composition/settings.ts';
import { UPLOAD_BOUNDS } from './core/publishing/bounds.ts';
import { versionOf } from './platform/own-package.ts';
import type { Log } from './platform/system.ts';

/**
 * Logs and counts the errors that no code caught. After one of a guarded callback the process goes on; after any other its state is
 * unknown, so it ends with the exit code 1, for its supervisor to start another.
 */
function watchUncaught(log: Log) {
  let count = 0;
  let end = (): void => process.exit(1);
  process.on('warning', (warning: Error & { detail?: string }) => {
    if (warning.name !== FAULT) return;
    count += 1;
    log.error(
      { err: { type: FAULT, message: warning.message, stack: warning.detail } },
      'A callback failed.',
    );
  });
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (err: unknown) => {
      count += 1;
      log.error({ err, event }, 'An error was not caught.');
      end();
    });
  }
  return {
    /** How many there were. */
    uncaught: () => count,
    /** Sets what ends the process after an error that Node reports as uncaught. Default: it exits immediately. */
    endWith(ending: () => void) {
      end = ending;
    },
  };
}

/**
 * Threads for files and hashes in this process, unless the operator has set another number. Node has four by default, which a
 * few slow writes of large uploads would occupy, so that every small read waits. Node reads the variable when the first of its threads
 * starts, so this must be the first import of the program.
 */
process.env.UV_THREADPOOL_SIZE ??= '16';

const EXIT_WRONG_USE = 2;

/** Prints a line for the operator on the standard error; the log goes to the standard output. */
const printLine = (line: string) => process.stderr.write(`svc-store: ${line}\n`);

/** Turns an error of `listen` into a line for the operator. */
function listenFault(error: NodeJS.ErrnoException, port: number): SettingError | Error {
  if (error.code === 'EADDRINUSE')
    return new SettingError(
      `Port ${port} is in use: stop the program that uses it, or set PORT to another port.`,
    );
  if (error.code === 'EACCES')
    return new SettingError(`No permission to listen on port ${port}: set PORT to one above 1023.`);
  return error;
}

/** Timeout of a DNS query, in milliseconds, and the number of tries. */
const DNS = { timeout: 2_000, tries: 2 };

const createSystem = (log: Log, networks: PrivateNetworks | null) => ({
  clock: () => new Date(),
  random: (n: number) => randomBytes(n),
  newId: () => randomUUID(),
  fetch,
  log,
  sites: createSites({ resolver: new Resolver(DNS), isAllowed: mayReach(networks) }),
});

/** Reads the settings, and applies those of the network: later connections trust the authorities, and use the proxies, that they name. */
async function openSettings(): Promise<Settings> {
  const settings = readSettings(process.env);
  if (settings.authorities) trustAuthorities(settings.authorities);
  const { httpProxy, httpsProxy, noProxy } = settings;
  const proxies = { HTTP_PROXY: httpProxy ?? '', HTTPS_PROXY: httpsProxy ?? '', NO_PROXY: noProxy ?? '' };
  await enableProxies({ ...process.env, ...proxies }).catch((error: Error) => {
    throw new SettingError(error.message);
  });
  return settings;
}

/** Runs a command. It prints its own result; the log shows only errors. */
async function command(words: readonly string[]): Promise<void> {
  const system = createSystem(openCommandLog(), null);
  const { runCommand } = await import('./composition/commands/run-command.ts');
  const result = await runCommand(words, openSettings, system);
  if ('print' in result) process.stdout.write(result.print);
  else printLine(result.line);
}

/** Threads of each queue: half of the processors, as requests need one and the queues are seldom all busy. */
const inspectionThreads = (): number =>
  Math.max(UPLOAD_BOUNDS.threads, Math.floor(availableParallelism() / 2));

/**
 * Reads the settings, and finds where to listen. A port that the system chooses is part of the address of the store unless
 * `SVC_BASE_URL` is set: it is held, and the settings are read again with it.
 */
async function openPlace(): Promise<{ settings: Settings; at: number | HeldPort }> {
  const settings = await openSettings();
  if (settings.port !== 0) return { settings, at: settings.port };
  const held = await holdFreePort();
  return { settings: readSettings({ ...process.env, PORT: String(held.port) }), at: held };
}

async function serve(): Promise<void> {
  const { settings, at } = await openPlace();
  const { log, logRequest, dropped } = openServerLog(settings.logLevel);
  const lastResort = watchUncaught(log);
  const inspector = createWorkerInspector({ ...settings, ...UPLOAD_BOUNDS, threads: inspectionThreads() });
  const pictures = createProcessRenderer();
  const telemetry = await openTelemetry(process.env, versionOf()).catch((error: Error) => {
    throw new SettingError(error.message);
  });
  const faults = { uncaught: lastResort.uncaught, droppedLines: dropped };
  const system = {
    ...createSystem(log, settings.privateNetworks),
    logRequest,
    faults,
    pictures,
    ...(telemetry && { telemetry }),
  };
  const store = await openStore(settings, system, inspector);
  const server = await listen(store, at).catch(async (error: NodeJS.ErrnoException) => {
    await store.close();
    throw listenFault(error, settings.port);
  });
  const workers = {
    close: async () => void (await Promise.all([inspector.close(), pictures.close(), telemetry?.close()])),
  };
  lastResort.endWith(stopOnSignals({ server, store, inspector: workers }, log));
  log.info({ port: server.port, dataDir: settings.dataDir, keyId: store.keyId }, 'The store is open.');
  const api = settings.without?.includes('docs') ? '/api/openapi.json' : '/api/docs';
  printLine(`The store is at ${settings.baseUrl}; its API documentation is at ${settings.baseUrl}${api}`);
  if (typeof at !== 'number' && settings.baseUrl.endsWith(`:${at.port}`))
    printLine(
      'PORT=0 gives the store another address at each start, and the log in its data folder belongs to one address: set PORT, or SVC_BASE_URL, for a folder that you keep.',
    );
  for (const note of startNotes(settings, new Date())) printLine(note);
  const setup = await store.setupLink();
  // Not logged: others may read the log.
  if (setup !== null)
    printLine(`The store has no administrator yet. To create the first one, open: ${setup}`);
}

// A terminal or a file that cannot be written ends no store; its log drops such lines too.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const words = process.argv.slice(2);
await (words.length > 0 ? command(words) : serve()).catch((error: unknown) => {
  const expected = error instanceof SettingError || error instanceof CommandError;
  printLine(expected ? error.message : String((error as Error).stack ?? error));
  process.exit(error instanceof SettingError ? EXIT_WRONG_USE : 1);
});
