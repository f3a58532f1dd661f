import { guarded } from '@svc/contracts/guarded';
import type { LocalCommand } from '../../library/installed-app.ts';
import type { System } from '../../platform/system.ts';
import {
  askForLog,
  type ClientOptions,
  type Connection,
  createClient,
  NEVER_MS,
  operationsOf,
} from '../connection.ts';
import type { Era } from '../known-eras.ts';
import { repairMessages } from '../lenient/repair-message.ts';
import { negotiateEra } from '../negotiate-era.ts';
import { type CommandHost, CommandTransport } from './command-transport.ts';

export type CommandConnectionOptions = ClientOptions & {
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
  operations: ReturnType<typeof operationsOf>;
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
      operations: operationsOf(mcp),
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
export async function connectToCommand(options: CommandConnectionOptions): Promise<Connection> {
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
