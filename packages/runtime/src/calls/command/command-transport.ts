import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import type { LocalCommand } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';

/** The longest message of a program, in bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** What a program may send since it was last written to, in bytes and lines. */
const MAX_UNASKED_BYTES = 64 * 1024 * 1024;
const MAX_UNASKED_LINES = 100_000;
/** What is kept of its standard error, in characters: the end. */
const MAX_STDERR = 2_000;

const LINE_FEED = 10;

/** The program beside this one, which is TypeScript in the repository and JavaScript in the package. */
const supervisor = (): string =>
  fileURLToPath(new URL(`./supervise${path.extname(import.meta.url)}`, import.meta.url));

/** The environment of this client, and its platform. */
export type CommandHost = { env: Readonly<Record<string, string | undefined>>; platform: string };

/** Names of all environment variables that a command gets, of those that are set. */
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

/** How the program is started: by a process that ends it with all that it started. Windows has no groups of processes for that. */
function parametersOf(command: LocalCommand, host: CommandHost): StdioServerParameters {
  const { program, args, folder } = command;
  const supervised = [supervisor(), String(process.pid), program, ...args];
  return {
    ...(host.platform === 'win32'
      ? { command: program, args: [...args] }
      : { command: process.execPath, args: supervised }),
    // The library adds the usual variables (`DEFAULT_INHERITED_ENV_VARS`), and no other.
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
 * The program of a connector on its standard input and output. What it sends is bounded; a program that sends more is ended.
 * Its standard error is read, so that it never waits for that, and kept in part.
 */
export class CommandTransport extends StdioClientTransport {
  /** What ended it, in words of ours; null while it runs, and when it was closed from here. */
  failure: RuntimeError | null = null;
  /** The end of what it wrote to its standard error. It may hold secrets. */
  stderrTail = '';
  #child: ChildProcess | null = null;
  #isClosing = false;
  #unasked = { bytes: 0, lines: 0 };

  constructor(command: LocalCommand, host: CommandHost) {
    super(parametersOf(command, host));
    this.stderr?.on('data', (chunk: Buffer) => {
      this.stderrTail = `${this.stderrTail}${chunk.toString()}`.slice(-MAX_STDERR);
    });
    // The MCP client chains what is set before it connects.
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
    // The library has no way to bound a stream of small messages, or to end the program at once.
    const child = Reflect.get(this, '_process') as ChildProcess;
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => this.#count(chunk));
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

  /** Ends the program without waiting for it to end by itself. */
  #endFor(failure: RuntimeError): void {
    this.failure ??= failure;
    this.#child?.stdout?.destroy();
    this.#child?.kill('SIGTERM');
    super.close().catch(() => undefined);
  }
}
