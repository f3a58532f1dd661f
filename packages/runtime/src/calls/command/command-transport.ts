import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import { guarded } from '@svc/contracts/guarded';
import type { LocalCommand } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import { nodeOf, ownProgram, type Programs } from '../../programs/own-program.ts';

/** Maximum message size of a program, in bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Maximum output of a program between two messages to it, in bytes and lines. */
const MAX_UNASKED_BYTES = 64 * 1024 * 1024;
const MAX_UNASKED_LINES = 100_000;
/** Characters that are kept of the end of its standard error. */
const MAX_STDERR = 2_000;

const LINE_FEED = 10;

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
export const valuesOf = (
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

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

/**
 * The standard input and output of a connector's program. A program that exceeds the output limits is killed. Its standard error is
 * drained, so that the program never blocks on it, and its end is kept.
 */
export class CommandTransport extends StdioClientTransport {
  /** Why the program exited; null while it runs, and after `close`. */
  failure: RuntimeError | null = null;
  /** The end of its standard error. It may contain secrets. */
  stderrTail = '';
  #child: ChildProcess | null = null;
  #isClosing = false;
  #unasked = { bytes: 0, lines: 0 };

  constructor(command: LocalCommand, host: CommandHost) {
    super(parametersOf(command, host));
    const keepTail = (chunk: Buffer) => {
      this.stderrTail = `${this.stderrTail}${chunk.toString()}`.slice(-MAX_STDERR);
    };
    this.stderr?.on('data', guarded(keepTail));
    this.stderr?.on('error', () => undefined);
    // The MCP client chains handlers that are set before it connects.
    this.onclose = () => {
      if (this.#isClosing) return;
      this.failure ??= new RuntimeError('server-failed', 'The program of the connector has ended.');
    };
    this.onerror = ({ message }) => {
      if (!message.includes('exceeded maximum size')) return;
      this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much at once.'));
    };
  }

  override async start(): Promise<void> {
    await super.start();
    // The library cannot limit a stream of small messages, or kill the program immediately.
    const child = Reflect.get(this, '_process') as ChildProcess;
    this.#child = child;
    // The library listens for errors of standard input and output.
    child.stderr?.on('error', () => undefined);
    child.stdout?.on(
      'data',
      guarded((chunk: Buffer) => this.#count(chunk)),
    );
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.#unasked = { bytes: 0, lines: 0 };
    return super.send(message);
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }

  #count(chunk: Buffer): void {
    this.#unasked.bytes += chunk.length;
    this.#unasked.lines += linesIn(chunk);
    const { bytes, lines } = this.#unasked;
    if (bytes <= MAX_UNASKED_BYTES && lines <= MAX_UNASKED_LINES) return;
    this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much.'));
  }

  /** Kills the program. */
  #endFor(failure: RuntimeError): void {
    this.failure ??= failure;
    this.#child?.stdout?.destroy();
    this.#child?.kill('SIGTERM');
    super.close().catch(() => undefined);
  }
}
