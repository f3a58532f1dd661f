import './io-threads.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { availableParallelism } from 'node:os';
import { isPublicAddress } from '@svc/contracts/public-address';
import { openCommandLog, openServerLog } from './adapters/log/open-log.ts';
import { createProcessRenderer } from './adapters/picture/process-renderer.ts';
import { createSites } from './adapters/sites/read-sites.ts';
import { openTelemetry } from './adapters/telemetry/open-telemetry.ts';
import { createWorkerInspector } from './adapters/worker/worker-inspector.ts';
import { CommandError } from './commands/command.ts';
import { versionOf } from './commands/version.ts';
import { openStore } from './open-store.ts';
import type { Log } from './platform/system.ts';
import { UPLOAD_BOUNDS } from './publishing/bounds.ts';
import { listen } from './serve.ts';
import { readSettings, SettingError } from './settings.ts';
import { stopOnSignals } from './stop.ts';

const EXIT_WRONG_USE = 2;

/** A line for the person who started the program; the log goes to the standard output. */
const say = (line: string) => process.stderr.write(`svc-store: ${line}\n`);

/** What the operating system says when a port cannot be had, as a sentence. */
function listenFault(error: NodeJS.ErrnoException, port: number): SettingError | Error {
  if (error.code === 'EADDRINUSE')
    return new SettingError(`Port ${port} is in use: stop what uses it, or set PORT.`);
  if (error.code === 'EACCES')
    return new SettingError(`Port ${port} needs more rights: set PORT to one above 1023.`);
  return error;
}

/** How long a name server is waited for, in milliseconds, and how often it is asked. */
const DNS = { timeout: 2_000, tries: 2 };

const ambientWith = (log: Log) => ({
  clock: () => new Date(),
  random: (n: number) => randomBytes(n),
  newId: () => randomUUID(),
  fetch,
  log,
  sites: createSites({ resolver: new Resolver(DNS), isAllowed: isPublicAddress }),
});

/** Does something besides being a store. What a command has to say are its own lines; the log is for what goes wrong. */
async function command(words: readonly string[]): Promise<void> {
  const ambient = ambientWith(openCommandLog());
  const { runCommand } = await import('./commands/run-command.ts');
  const done = await runCommand(words, () => readSettings(process.env), ambient);
  if ('print' in done) process.stdout.write(done.print);
  else say(done.line);
}

/** For each lane: half of the processors, as one of them is for the requests and lanes are seldom all busy. */
const inspectionThreads = (): number =>
  Math.max(UPLOAD_BOUNDS.threads, Math.floor(availableParallelism() / 2));

async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const { log, logRequest } = openServerLog(settings.logLevel);
  const inspector = createWorkerInspector({ ...settings, ...UPLOAD_BOUNDS, threads: inspectionThreads() });
  const pictures = createProcessRenderer();
  const telemetry = await openTelemetry(process.env, versionOf()).catch((error: Error) => {
    throw new SettingError(error.message);
  });
  const ambient = { ...ambientWith(log), logRequest, pictures, ...(telemetry && { telemetry }) };
  const store = await openStore(settings, ambient, inspector);
  const server = await listen(store, settings.port).catch(async (error: NodeJS.ErrnoException) => {
    await store.close();
    throw listenFault(error, settings.port);
  });
  const workers = {
    close: async () => void (await Promise.all([inspector.close(), pictures.close(), telemetry?.close()])),
  };
  stopOnSignals({ server, store, inspector: workers }, log);
  log.info({ port: server.port, dataDir: settings.dataDir, keyId: store.keyId }, 'The store is open.');
  say(`The store is at ${settings.baseUrl}; its API is described at ${settings.baseUrl}/api/docs`);
  const setup = await store.setupLink();
  // Not into the log: others may read that.
  if (setup !== null) say(`It has no administrator yet. To become it, open: ${setup}`);
}

const words = process.argv.slice(2);
await (words.length > 0 ? command(words) : serve()).catch((error: unknown) => {
  const expected = error instanceof SettingError || error instanceof CommandError;
  say(expected ? error.message : String((error as Error).stack ?? error));
  process.exit(error instanceof SettingError ? EXIT_WRONG_USE : 1);
});
