import type { LocalCommand } from '../../library/installed-app.ts';
import { type ClientOptions, type Connection, createClient, NEVER_MS, workOf } from '../connection.ts';
import { meetServer } from '../first-contact.ts';
import type { Era } from '../known-eras.ts';
import { repairMessage } from '../without-malformed.ts';
import { type CommandHost, CommandTransport } from './command-transport.ts';

export type CommandConnectionOptions = ClientOptions & {
  command: LocalCommand;
  host: CommandHost;
  /** The name that stands for its address. */
  url: string;
  /** Told when the program ended by itself or was ended for what it sent, with the end of its standard error. */
  onFailure(message: string, lastWords: string): void;
};

type Made = { transport: CommandTransport; work: ReturnType<typeof workOf>; ended: Promise<void> };

/** Starts the program and connects to it, or fails. */
async function start(
  options: CommandConnectionOptions,
  era: 'auto' | 'legacy',
): Promise<Made & { era: Era }> {
  const { command, host, signal } = options;
  const mcp = createClient(options, era === 'legacy' ? '2025-11-25' : 'auto');
  const transport = new CommandTransport(command, host);
  transport.onmessage = repairMessage;
  const abandon = () => void transport.close();
  signal.addEventListener('abort', abandon, { once: true });
  const ended = Promise.withResolvers<void>();
  mcp.onclose = () => ended.resolve();
  try {
    await mcp.connect(transport, { signal, timeout: NEVER_MS });
    return { transport, work: workOf(mcp), ended: ended.promise, era: mcp.getProtocolEra() ?? 'legacy' };
  } catch (error) {
    await transport.close();
    if (transport.failure && !signal.aborted) {
      options.onFailure(transport.failure.message, transport.lastWords);
      throw transport.failure;
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

/** Work whose failures are told as what ended the program, where that is known. */
function explained({ work, transport }: Made): Made['work'] {
  const explain =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      method(...args).catch((error: unknown) => {
        throw transport.failure ?? error;
      });
  const { content } = work;
  return {
    listTools: explain(work.listTools),
    callTool: explain(work.callTool),
    content: {
      resources: explain(content.resources),
      templates: explain(content.templates),
      prompts: explain(content.prompts),
      read: explain(content.read),
      prompt: explain(content.prompt),
    },
  };
}

/**
 * Starts the program of a connector and connects to it over its standard input and output. It is asked by `initialize` first,
 * which nearly all of them understand: asking in another way first would start most of them twice.
 */
export async function connectToCommand(options: CommandConnectionOptions): Promise<Connection> {
  const { known, url, signal } = options;
  const eras = { of: (at: string) => known.of(at) ?? 'legacy', note: known.note };
  const made = await meetServer({ url, known: eras, signal }, async ({ era }) => {
    const begun = await start(options, era);
    return { made: begun, era: begun.era };
  });
  const { transport, ended } = made;
  const noted = ended.then(() => {
    if (transport.failure) options.onFailure(transport.failure.message, transport.lastWords);
  });
  return { ...explained(made), ended: noted, close: () => transport.close() };
}
