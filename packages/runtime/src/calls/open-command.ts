import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { escapeText } from '@svc/text';
import {
  commandUrl,
  enforcedFootprint,
  type InstalledApp,
  type LocalCommand,
} from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { nodeOf, ownProgram, type Programs } from '../programs/own-program.ts';
import { type ClientOptions, type Connection, connectClient, type ServingOptions } from './connection.ts';
import { growingBytes } from './lenient/growing-bytes.ts';
import { createLineFilter, HELD_MS } from './lenient/limit-notifications.ts';
import { type Attempt, type KnownEras, negotiateEra } from './negotiate-era.ts';
import { type Operations, operationsOf } from './operations.ts';
import type { Secrets } from './secrets.ts';

/** Maximum message size of a program, in bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Maximum output of a program between two messages to it, in bytes. */
const MAX_UNASKED_BYTES = 64 * 1024 * 1024;
/** Characters that are kept of the end of its standard error. */
const MAX_STDERR = 2_000;

/** Environment variables and platform of this client, and where the programs of the runtime are. */
export type CommandHost = {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  programs?: Programs | undefined;
};

/** Names of the environment variables that a command gets, if set. */
export const environmentOf = ({ variables }: Pick<LocalCommand, 'variables'>): string[] => [
  ...new Set([...DEFAULT_INHERITED_ENV_VARS, ...variables]),
];

/** Values of the variables that the user named. */
const valuesOf = (
  { variables }: Pick<LocalCommand, 'variables'>,
  { env }: Pick<CommandHost, 'env'>,
): Record<string, string> =>
  Object.fromEntries(
    variables.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Starts the program under a supervisor that kills it with all its children; not on Windows, which has no process groups. */
function parametersOf(command: LocalCommand, host: CommandHost): StdioServerParameters {
  const { program, args, folder } = command;
  const { programs = {} } = host;
  return {
    ...(host.platform === 'win32'
      ? { command: program, args: [...args] }
      : {
          command: nodeOf(programs),
          args: [ownProgram('supervise', programs), String(process.pid), program, ...args],
        }),
    // The library adds only `DEFAULT_INHERITED_ENV_VARS`.
    env: valuesOf(command, host),
    cwd: folder,
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  };
}

/**
 * The standard input and output of a connector's program. Notifications above the rate limit are dropped before the MCP client reads
 * them; a program that exceeds the limits of other output is killed. Its standard error is drained, so that the program never blocks on
 * it, and its end is kept.
 */
export class CommandTransport extends StdioClientTransport {
  /** Why the program exited; null while it runs, and after `close`. */
  failure: RuntimeError | null = null;
  /** The end of its standard error. It may contain secrets. */
  stderrTail = '';
  /** Resolves when the program has exited. */
  readonly ended: Promise<void>;
  #child: ChildProcess | null = null;
  #isClosing = false;
  #isReleasing = false;
  #unaskedBytes = 0;
  /** The beginning of a line. */
  readonly #begun = growingBytes();
  readonly #system: Pick<System, 'now' | 'sleep'>;
  readonly #filter;
  readonly #append: (chunk: Buffer) => void;

  constructor(command: LocalCommand, host: CommandHost, system: Pick<System, 'now' | 'sleep'>) {
    super(parametersOf(command, host));
    this.#system = system;
    this.#filter = createLineFilter(system.now);
    // The library reads from this buffer, cannot limit a stream of small messages, and copies all of a line for each piece of it.
    const buffer = Reflect.get(this, '_readBuffer') as { append(chunk: Buffer): void };
    this.#append = buffer.append.bind(buffer);
    buffer.append = (chunk) => this.#append(this.#lines(this.#limited(chunk)));
    const keepTail = (chunk: Buffer) => {
      this.stderrTail = `${this.stderrTail}${chunk.toString()}`.slice(-MAX_STDERR);
    };
    this.stderr?.on('data', guarded(keepTail));
    this.stderr?.on('error', () => undefined);
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    // The MCP client chains handlers that are set before it connects.
    this.onclose = () => {
      if (!this.#isClosing)
        this.failure ??= new RuntimeError('server-failed', 'The program of the connector has ended.');
      ended.resolve();
    };
    this.onerror = ({ message }) => {
      if (!message.includes('exceeded maximum size')) return;
      this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much at once.'));
    };
  }

  override async start(): Promise<void> {
    await super.start();
    // The library cannot kill the program immediately.
    this.#child = Reflect.get(this, '_process') as ChildProcess;
    // The library listens for errors of standard input and output.
    this.#child.stderr?.on('error', () => undefined);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.#unaskedBytes = 0;
    this.#filter.restart();
    return super.send(message);
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }

  /** Output without the notifications above the rate limit; none of a program that exceeds the limits. */
  #limited(chunk: Buffer): Buffer {
    try {
      this.#unaskedBytes += chunk.length;
      if (this.#unaskedBytes > MAX_UNASKED_BYTES) throw new RuntimeError('too-large');
      const kept = this.#filter.read(chunk.toString('latin1'));
      if (!this.#isReleasing) inBackground(this.#release());
      return Buffer.from(kept, 'latin1');
    } catch {
      this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much.'));
      return Buffer.alloc(0);
    }
  }

  /** The lines that a piece of output completes. What it begins is kept, up to the length of a message. */
  #lines(output: Buffer): Buffer {
    const end = output.lastIndexOf('\n') + 1;
    const lines =
      end === 0 ? output.subarray(0, 0) : Buffer.concat([this.#begun.take(), output.subarray(0, end)]);
    this.#begun.add(output.subarray(end));
    if (this.#begun.size() > MAX_MESSAGE_BYTES)
      this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much at once.'));
    return lines;
  }

  /** Passes the newest progress on while the program is silent. */
  async #release(): Promise<void> {
    this.#isReleasing = true;
    while (this.#filter.isHolding()) {
      await this.#system.sleep(HELD_MS);
      if (this.#isClosing || this.failure !== null) break;
      this.#append(Buffer.from(this.#filter.release(), 'latin1'));
      (Reflect.get(this, 'processReadBuffer') as () => void).call(this);
    }
    this.#isReleasing = false;
  }

  /** Kills the program. */
  #endFor(failure: RuntimeError): void {
    this.failure ??= failure;
    this.#begun.take();
    this.#child?.stdout?.destroy();
    this.#child?.kill('SIGTERM');
    super.close().catch(() => undefined);
  }
}

/** Operations that reject with the reason why the program exited, where it is known. */
function withExitReason({ content, ...operations }: Operations, transport: CommandTransport): Operations {
  const explained = <T extends object>(methods: T): T =>
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        (...args: unknown[]) =>
          method(...args).catch((error: unknown) => {
            throw transport.failure ?? error;
          }),
      ]),
    ) as T;
  return { ...explained(operations), content: explained(content) };
}

type CommandOptions = ClientOptions & {
  command: LocalCommand;
  host: CommandHost;
  /** Called when the program exited or was killed for what it sent. */
  onFailure(message: string, stderrTail: string): void;
};

/**
 * Starts the program of a connector and connects to it over standard input and output. It tries `initialize` first, as nearly all
 * programs support it: trying `server/discover` first would start most programs twice.
 */
async function connectToCommand(options: CommandOptions): Promise<Connection> {
  const { command, host, system } = options;
  const report = ({ failure, stderrTail }: CommandTransport) => {
    if (failure) options.onFailure(failure.message, stderrTail);
  };
  async function start(attempt: Attempt) {
    const transport = new CommandTransport(command, host, system);
    try {
      return { mcp: await connectClient(options, attempt, transport), transport };
    } catch (error) {
      if (!transport.failure) throw error;
      report(transport);
      throw transport.failure;
    }
  }
  const { mcp, transport } = await negotiateEra(options, start, 'legacy');
  return {
    ...withExitReason(operationsOf(mcp, system), transport),
    ended: transport.ended.then(() => report(transport)),
    close: () => transport.close(),
  };
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
  { system, client, commands, known, onFault, onEnded }: CommandDeps & { known: KnownEras },
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
      ...{ system, command, host: commands, url, client, known, signal: timed, onFailure },
    }),
  );
}
