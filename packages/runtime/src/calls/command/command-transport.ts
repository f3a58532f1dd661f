import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import {
  DEFAULT_INHERITED_ENV_VARS,
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import { guarded, inBackground } from '@svc/contracts/guarded';
import type { LocalCommand } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { nodeOf, ownProgram, type Programs } from '../../programs/own-program.ts';
import { createLineFilter, HELD_MS } from '../lenient/limit-notifications.ts';

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
  #child: ChildProcess | null = null;
  #isClosing = false;
  #isReleasing = false;
  #unaskedBytes = 0;
  readonly #system: Pick<System, 'now' | 'sleep'>;
  readonly #filter;
  readonly #append: (chunk: Buffer) => void;

  constructor(command: LocalCommand, host: CommandHost, system: Pick<System, 'now' | 'sleep'>) {
    super(parametersOf(command, host));
    this.#system = system;
    this.#filter = createLineFilter(system.now);
    // The library reads from this buffer, and cannot limit a stream of small messages.
    const buffer = Reflect.get(this, '_readBuffer') as { append(chunk: Buffer): void };
    this.#append = buffer.append.bind(buffer);
    buffer.append = (chunk) => this.#append(this.#limited(chunk));
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
      if (this.#filter.isHolding() && !this.#isReleasing) inBackground(this.#release());
      return Buffer.from(kept, 'latin1');
    } catch {
      this.#endFor(new RuntimeError('too-large', 'The program of the connector sent too much.'));
      return Buffer.alloc(0);
    }
  }

  /** Passes the newest progress on while the program is silent. */
  async #release(): Promise<void> {
    this.#isReleasing = true;
    while (this.#filter.isHolding() && !this.#isClosing && this.failure === null) {
      await this.#system.sleep(HELD_MS);
      this.#append(Buffer.from(this.#filter.release(), 'latin1'));
      (Reflect.get(this, 'processReadBuffer') as () => void).call(this);
    }
    this.#isReleasing = false;
  }

  /** Kills the program. */
  #endFor(failure: RuntimeError): void {
    this.failure ??= failure;
    this.#child?.stdout?.destroy();
    this.#child?.kill('SIGTERM');
    super.close().catch(() => undefined);
  }
}
