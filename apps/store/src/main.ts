import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { destination, pino } from 'pino';
import { createWorkerInspector } from './adapters/worker/worker-inspector.ts';
import { openStore } from './open-store.ts';
import { rotateKeys } from './rotate-keys.ts';
import { listen } from './serve.ts';
import { BadSetting, readSettings } from './settings.ts';

const EXIT_WRONG_USE = 2;

/** Lines are written in batches, at least five times a second: a write for each would cost more than many answers. */
const LOG_BUFFER = { sync: false, minLength: 4_096, periodicFlush: 200 };

/** A line for the person who started the program; the log goes to the standard output. */
const say = (line: string) => process.stderr.write(`svc-store: ${line}\n`);

/** What the operating system says when a port cannot be had, as a sentence. */
function listenFault(error: NodeJS.ErrnoException, port: number): BadSetting | Error {
  if (error.code === 'EADDRINUSE')
    return new BadSetting(`Port ${port} is in use: stop what uses it, or set PORT.`);
  if (error.code === 'EACCES')
    return new BadSetting(`Port ${port} needs more rights: set PORT to one above 1023.`);
  return error;
}

/** What the program is asked to do besides being a store. */
async function runCommand(words: readonly string[]): Promise<void> {
  if (words.join(' ') !== 'keys rotate') {
    throw new BadSetting('Give no arguments to start the store, or: keys rotate');
  }
  const settings = readSettings(process.env);
  const log = pino({ level: settings.logLevel }, destination(process.stderr.fd));
  say(await rotateKeys(settings, () => new Date(), log));
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.length > 0) return runCommand(words);
  const settings = readSettings(process.env);
  const log = pino({ level: settings.logLevel }, destination(LOG_BUFFER));
  const ambient = {
    clock: () => new Date(),
    random: (n: number) => randomBytes(n),
    newId: () => randomUUID(),
    log,
  };
  const inspector = createWorkerInspector({ ...settings, threads: Math.max(1, availableParallelism() - 1) });
  const store = await openStore(settings, ambient, inspector);
  const server = await listen(store, settings.port).catch(async (error: NodeJS.ErrnoException) => {
    await store.close();
    throw listenFault(error, settings.port);
  });
  log.info({ port: server.port, dataDir: settings.dataDir, keyId: store.keyId }, 'The store is open.');
  say(`The store is at ${settings.baseUrl}; its API is described at ${settings.baseUrl}/api/docs`);
  if (settings.adminToken === null) {
    say('SVC_ADMIN_TOKEN is not set: nobody can make publishers or review versions until it is.');
  }
  const stop = async (signal: string) => {
    log.info({ signal }, 'Stopping: requests under way are finished first.');
    await server.close();
    await store.close();
    await inspector.close();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

await main().catch((error: unknown) => {
  say(error instanceof BadSetting ? error.message : String((error as Error).stack ?? error));
  process.exit(error instanceof BadSetting ? EXIT_WRONG_USE : 1);
});
