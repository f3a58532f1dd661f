import path from 'node:path';
import { guarded } from '@svc/contracts/guarded';
import { escapeText } from '@svc/text';
import {
  commandUrl,
  enforcedFootprint,
  type InstalledApp,
  type LocalCommand,
} from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { withinTime } from '../../platform/within-time.ts';
import {
  askForLog,
  type ClientOptions,
  type Connection,
  createClient,
  type ServingOptions,
} from '../connection.ts';
import { repairMessages } from '../lenient/repair-message.ts';
import type { Era, KnownEras } from '../negotiate-era.ts';
import { negotiateEra } from '../negotiate-era.ts';
import { NEVER_MS, type Operations, operationsOf } from '../operations.ts';
import type { Secrets } from '../secrets.ts';
import { type CommandHost, CommandTransport, valuesOf } from './command-transport.ts';

type CommandConnectionOptions = ClientOptions & {
  system: Pick<System, 'now' | 'sleep'>;
  command: LocalCommand;
  host: CommandHost;
  /** The URL of the command; see `commandUrl`. */
  url: string;
  /** Called when the program exited or was killed for what it sent, with the end of its standard error. */
  onFailure(message: string, stderrTail: string): void;
};

type Started = {
  transport: CommandTransport;
  operations: Operations;
  ended: Promise<void>;
};

/** Starts the program and connects to it. */
async function start(
  options: CommandConnectionOptions,
  era: 'auto' | 'legacy',
): Promise<Started & { era: Era }> {
  const { command, host, signal } = options;
  const mcp = createClient(options, era === 'legacy' ? '2025-11-25' : 'auto');
  const transport = new CommandTransport(command, host, options.system);
  transport.onmessage = repairMessages(options.onRepair);
  const abandon = guarded(() => transport.close());
  signal.addEventListener('abort', abandon, { once: true });
  const ended = Promise.withResolvers<void>();
  mcp.onclose = () => ended.resolve();
  try {
    await mcp.connect(transport, { signal, timeout: NEVER_MS });
    if (options.onNotice) askForLog(mcp);
    return {
      transport,
      operations: operationsOf(mcp, options.system),
      ended: ended.promise,
      era: mcp.getProtocolEra() ?? 'legacy',
    };
  } catch (error) {
    await transport.close();
    if (transport.failure && !signal.aborted) {
      options.onFailure(transport.failure.message, transport.stderrTail);
      throw transport.failure;
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

/** Operations that reject with the reason why the program exited, where it is known. */
function withExitReason({ operations, transport }: Started): Started['operations'] {
  const explain =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      method(...args).catch((error: unknown) => {
        throw transport.failure ?? error;
      });
  const { content } = operations;
  return {
    listTools: explain(operations.listTools),
    callTool: explain(operations.callTool),
    content: {
      resources: explain(content.resources),
      templates: explain(content.templates),
      prompts: explain(content.prompts),
      read: explain(content.read),
      prompt: explain(content.prompt),
      complete: explain(content.complete),
      subscribe: explain(content.subscribe),
    },
  };
}

/**
 * Starts the program of a connector and connects to it over standard input and output. It tries `initialize` first, as nearly all
 * programs support it: trying `server/discover` first would start most programs twice.
 */
async function connectToCommand(options: CommandConnectionOptions): Promise<Connection> {
  const { known, url, signal } = options;
  const eras = { of: (at: string) => known.of(at) ?? 'legacy', record: known.record };
  const started = await negotiateEra({ url, known: eras, signal }, async ({ era }) => {
    const connected = await start(options, era);
    return { made: connected, era: connected.era };
  });
  const { transport, ended } = started;
  const reported = ended.then(() => {
    if (transport.failure) options.onFailure(transport.failure.message, transport.stderrTail);
  });
  return { ...withExitReason(started), ended: reported, close: () => transport.close() };
}

export type CommandDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  /** Client info that is sent to MCP servers. */
  client: ClientOptions['client'];
  /** Environment of connector programs; without it they are refused. */
  commands?: CommandHost | undefined;
  /** Called when the program of a connector fails, with bounded text without secrets. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Called with why the program of a connector ended by itself. */
  onEnded?: ((appId: string, failure: RuntimeError) => void) | undefined;
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
  { system, client, commands, known, onFault, onEnded, connection }: CommandDeps & { known: KnownEras },
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
    onEnded?.(app.appId, new RuntimeError('server-failed', message));
  };
  return withinTime(system, STARTING_MS, signal, (timed) =>
    connectToCommand({
      ...serving,
      ...connection,
      ...{ system, command, host: commands, url, client, known, signal: timed, onFailure },
    }),
  );
}
