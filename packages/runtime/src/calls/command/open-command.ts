import path from 'node:path';
import { escapeText } from '@svc/text';
import { commandUrl } from '../../connectors/connector-app.ts';
import { enforcedFootprint, type InstalledApp, type LocalCommand } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { withinTime } from '../../platform/within-time.ts';
import type { ClientOptions, Connection, ServingOptions } from '../connection.ts';
import type { KnownEras } from '../known-eras.ts';
import type { Secrets } from '../secrets.ts';
import { connectToCommand } from './command-connection.ts';
import { type CommandHost, valuesOf } from './command-transport.ts';

export type CommandDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  client: ClientOptions['client'];
  /** Environment of connector programs; without it they are refused. */
  commands?: CommandHost | undefined;
  /** Called when the program of a connector fails, with bounded text without secrets. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Overrides of connection options. */
  connection?: Pick<ClientOptions, 'revision' | 'elicit'>;
};

/** Time limit for starting a program, in milliseconds; `npx` may have to download it first. */
const STARTING_MS = 60_000;

/** Maximum logged characters of the standard error of a program. */
const MAX_LOGGED = 1_000;

/**
 * Minimum length of an environment variable value that is redacted in results. Shorter values, and paths, are usually settings such as
 * `production`; redacting them would damage unrelated results.
 */
const MIN_SECRET = 12;

/** Redacts the environment variables of the program in its results, like the tokens of accounts. */
function protectValues(command: LocalCommand, host: CommandHost, secrets: Secrets): void {
  for (const value of Object.values(valuesOf(command, host))) {
    if (value.length >= MIN_SECRET && !path.isAbsolute(value)) secrets.add(value);
  }
}

/**
 * Starts the program of a connector: exactly the command that the user agreed to.
 * @throws RuntimeError `not-offered`, `command-refused`, `server-failed`, `too-slow`
 */
export async function openCommand(
  { system, client, commands, known, onFault, connection }: CommandDeps & { known: KnownEras },
  {
    app,
    command,
    secrets,
    ...serving
  }: { app: InstalledApp; command: LocalCommand; secrets: Secrets } & ServingOptions,
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
      ...serving,
      ...connection,
      ...{ system, command, host: commands, url, client, known, signal: timed, onFailure },
    }),
  );
}
