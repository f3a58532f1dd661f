import path from 'node:path';
import { escapeText } from '@svc/text';
import { commandUrl } from '../../connectors/connector-app.ts';
import { enforcedFootprint, type InstalledApp, type LocalCommand } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { withinTime } from '../../platform/within-time.ts';
import type { ClientOptions, Connection } from '../connection.ts';
import type { KnownEras } from '../known-eras.ts';
import type { Secrets } from '../secrets.ts';
import { connectToCommand } from './command-connection.ts';
import { type CommandHost, valuesOf } from './command-transport.ts';

export type CommandDeps = {
  system: Pick<System, 'sleep'>;
  client: ClientOptions['client'];
  /** Where programs of connectors run; they are refused, when left out. */
  commands?: CommandHost | undefined;
  /** Told when the program of a connector fails, in bounded text without tokens. */
  onFault?: ((error: unknown) => void) | undefined;
  /** How connections differ from the usual. */
  connection?: Pick<ClientOptions, 'revision' | 'elicit'>;
};

/** How long a program has to start and answer, in milliseconds: one that is fetched first, as by `npx`, takes its time. */
const STARTING_MS = 60_000;

/** What is logged of the standard error of a program, in characters. */
const MAX_LOGGED = 1_000;

/**
 * The shortest value of an environment variable that is kept out of results. Shorter ones are settings such as `production`, as are
 * paths, and would be missed in every answer that has them for other reasons.
 */
const MIN_SECRET = 12;

/** Keeps what the program was given in confidence from coming back in its answers, as the tokens of accounts. */
function protectValues(command: LocalCommand, host: CommandHost, secrets: Secrets): void {
  for (const value of Object.values(valuesOf(command, host))) {
    if (value.length >= MIN_SECRET && !path.isAbsolute(value)) secrets.add(value);
  }
}

/**
 * Starts the program of a connector, which must be the very command that the user agreed to.
 * @throws RuntimeError `not-offered`, `command-refused`, `server-failed`, `too-slow`
 */
export async function openCommand(
  { system, client, commands, known, onFault, connection }: CommandDeps & { known: KnownEras },
  { app, command, secrets }: { app: InstalledApp; command: LocalCommand; secrets: Secrets },
  signal: AbortSignal,
): Promise<Connection> {
  if (!commands) throw new RuntimeError('not-offered', 'This client runs no local connectors.');
  const url = commandUrl(command);
  if (url !== enforcedFootprint(app).mcpUrl) {
    throw new RuntimeError('command-refused', 'The command has changed: add the connector again.');
  }
  protectValues(command, commands, secrets);
  const onFailure = (message: string, stderrTail: string) => {
    const output = escapeText(secrets.strip(stderrTail).slice(-MAX_LOGGED).trim(), 'log');
    onFault?.(new Error(`${message} (${app.appId})${output === '' ? '' : ` It wrote: ${output}`}`));
  };
  return withinTime(system, STARTING_MS, signal, (timed) =>
    connectToCommand({
      ...connection,
      ...{ command, host: commands, url, client, known, signal: timed, onFailure },
    }),
  );
}
