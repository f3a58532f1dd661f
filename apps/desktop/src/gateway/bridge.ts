import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import type { KnownLists } from './known-lists.ts';
import { CAPABILITIES, INSTRUCTIONS, NAME } from './meta-tools.ts';

// It answers `initialize` before anything else is loaded: agents wait only so long for a server, and start it with each of their own
// starts. So this file imports no MCP library, and reads the standard streams itself.

/** The gateway endpoint of a desktop, and how requests reach it. */
export type GatewayEndpoint = { url: string; fetch: typeof fetch; bearer: string };

export type BridgeDeps = {
  /** The agent's end: JSON messages, one a line (MCP, "stdio"). */
  input: Readable;
  output: Writable;
  /** Finds the desktop, or starts one. */
  connect(): Promise<GatewayEndpoint>;
  /** What the last desktop listed for this agent. */
  lists: KnownLists;
  /** Reports an error as one line. */
  warn(line: string): void;
  /** Aborted when the program should end, whatever is under way. */
  stopped: AbortSignal;
  /** How long a list waits for a running desktop before the last known one is given, in milliseconds. */
  waitMs?: number;
};

type Answer = { result?: unknown; error?: Error };

type Message = JSONRPCMessage & { id?: string | number; method?: string; params?: Record<string, unknown> };

/** Ids of the bridge's own requests; agents use others. */
const OWN_ID = 'svc-bridge';

/** The revisions with sessions, newest first. A client that asks for another one gets the newest. */
export const SESSION_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Lists that are answered before a desktop runs, and the notification when the desktop's list is another one. */
const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'notifications/tools/list_changed',
  'prompts/list': 'notifications/prompts/list_changed',
  'resources/list': 'notifications/resources/list_changed',
  'resources/templates/list': 'notifications/resources/list_changed',
};

/** How long a list waits for a running desktop, and the end for what is under way, in milliseconds. */
const WAIT_MS = 300;
const ENDING_MS = 2_000;

/** Longest message of an agent, in characters. The desktop takes 4 MiB. */
const MAX_LINE = 8 * 1024 * 1024;

/** Whether a message names its revision itself, as requests do since 2026-07-28. */
export const isStateless = ({ params }: Pick<Message, 'params'>): boolean =>
  typeof (params?._meta as Record<string, unknown> | undefined)?.[
    'io.modelcontextprotocol/protocolVersion'
  ] === 'string';

const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;

/** Whether the desktop has exited or been replaced. The message was then not processed. */
function isLost(error: unknown): boolean {
  const { status, cause } = error as { status?: number; cause?: { code?: string } };
  return status === 404 || status === 401 || cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOENT';
}

/** What an agent reads of a request that the desktop may have processed, or not. */
const CUT_OFF =
  'svc desktop ended during this request. A call may have been made: check that before you call again, with the next desktop.';

const sleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

/** Whether the connection closed before the response. The message may have been processed. */
function isCutOff(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** Whether a message can be sent again in any case: it reads, or tells. */
const isRepeatable = ({ method }: Message): boolean => method !== 'tools/call';

/** The error message of a message that the desktop refused. */
function faultOf(error: unknown): string {
  const { status, message } = error as { status?: number; message?: string };
  if (isCutOff(error)) return CUT_OFF;
  if (status === undefined) return String(message);
  const said = /"message":"([^"]{1,300})"/.exec(String(message))?.[1];
  return said ?? `svc desktop responded with HTTP status ${status}.`;
}

/** Reads messages of an agent, until it is gone or the program is to end. @param receive gets each; lines that are no message are left out */
function readMessages(
  input: Readable,
  receive: (message: Message) => void,
  stopped: AbortSignal,
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  let rest = '';
  const read = (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    // What follows is not read: each piece would be joined to all before it.
    if (rest.length > MAX_LINE) {
      input.destroy();
      return;
    }
    for (const message of lines.flatMap(messagesIn)) receive(message);
  };
  input.setEncoding('utf8');
  input.on(
    'data',
    guarded(read, () => gone.resolve()),
  );
  input.on('error', () => gone.resolve());
  for (const event of ['end', 'close']) input.once(event, () => gone.resolve());
  const stop = guarded(() => gone.resolve());
  stopped.addEventListener('abort', stop, { once: true });
  if (stopped.aborted) stop();
  return gone.promise;
}

/** The messages of a line: one, or those of a batch, which only MCP 2025-03-26 has. */
function messagesIn(line: string): Message[] {
  try {
    const found: unknown = JSON.parse(line);
    return (Array.isArray(found) ? found : [found]).filter((one): one is Message => isObject(one));
  } catch {
    return [];
  }
}

/**
 * Forwards messages between an agent on the standard streams and the desktop. It answers `initialize` itself, and lists with the last
 * known lists until the desktop is there. After a restart of the desktop, it opens a new session with the agent's own initialize request
 * and sends the message again, which is safe: a server without that session has not processed it.
 * @returns when the agent disconnects
 */
export async function bridge({
  input,
  output,
  connect: findDesktop,
  lists,
  warn,
  stopped,
  waitMs = WAIT_MS,
}: BridgeDeps): Promise<void> {
  let desktop: StreamableHTTPClientTransport | null = null;
  /** The agent's own initialize request and notification. */
  let opening: Message[] = [];
  let isOpen = false;
  /** Whether the agent has disconnected. */
  let isOver = false;
  let flight: Promise<StreamableHTTPClientTransport> | null = null;
  let begun: PromiseWithResolvers<void> | null = null;
  /** The first opening of a session; it never rejects. */
  let firstOpening: Promise<unknown> = Promise.resolve();
  /** Lists that the agent asked the desktop for, by the id of the request; and those that were answered from the known ones. */
  const asked = new Map<string | number, string>();
  const answered = new Set<string>();
  /** Requests that were sent and have no answer. */
  const unanswered = new Set<string | number>();
  /** Requests of clients without sessions, which end with their connection. */
  const running = new Map<string | number, AbortController>();

  const send = (message: object) => void output.write(`${JSON.stringify(message)}\n`);
  const reply = (id: unknown, result: unknown) => send({ jsonrpc: '2.0', id, result });

  /** Keeps a list of the desktop, and tells the agent when it had another one. */
  function received(method: string, result: unknown): void {
    if (result === undefined) return;
    const isNew = lists.keep(method, result);
    if (answered.delete(method) && isNew) send({ jsonrpc: '2.0', method: LISTS[method] });
  }

  /** The response to the bridge's own initialize request. */
  function opened(from: StreamableHTTPClientTransport, { result, error }: Answer): void {
    from.setProtocolVersion(String((result as { protocolVersion?: string } | undefined)?.protocolVersion));
    if (error) begun?.reject(error);
    else begun?.resolve();
  }

  /** Reads the response to a request of the agent, which is passed on. */
  function noteAnswer(id: string | number, { result }: Answer): void {
    running.delete(id);
    unanswered.delete(id);
    const list = asked.get(id);
    if (list === undefined) return;
    asked.delete(id);
    answered.delete(list);
    received(list, result);
  }

  function fromDesktop(from: StreamableHTTPClientTransport, message: Message): void {
    const { id } = message;
    const own = typeof id === 'string' && id.startsWith(`${OWN_ID}/`) ? id.slice(OWN_ID.length + 1) : null;
    if (id === OWN_ID) opened(from, message as Answer);
    else if (own !== null) received(own, (message as Answer).result);
    else {
      if (id !== undefined && message.method === undefined) noteAnswer(id, message as Answer);
      if (from === desktop) send(message);
    }
  }

  async function connect(): Promise<StreamableHTTPClientTransport> {
    const [{ StreamableHTTPClientTransport: Transport }, { url, fetch, bearer }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      findDesktop(),
    ]);
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    const transport = new Transport(new URL(url), { requestInit, fetch });
    transport.onmessage = (message) => fromDesktop(transport, message as Message);
    await transport.start();
    return transport;
  }

  /** Opens a session on a desktop with the agent's own initialize request. */
  async function openOnce(): Promise<StreamableHTTPClientTransport> {
    isOpen = false;
    await desktop?.close();
    desktop = null;
    desktop = await connect();
    const [first] = opening;
    if (!first) return desktop;
    begun = Promise.withResolvers();
    // It may be rejected while the message is still being sent.
    begun.promise.catch(() => undefined);
    await desktop.send({ ...first, id: OWN_ID } as JSONRPCMessage);
    await begun.promise;
    isOpen = true;
    for (const message of opening.slice(1)) await desktop.send(message);
    for (const method of answered)
      await desktop.send({ jsonrpc: '2.0', id: `${OWN_ID}/${method}`, method, params: {} });
    return desktop;
  }

  /** Opens one session at a time: messages that wait for it share it. */
  function openSession(): Promise<StreamableHTTPClientTransport> {
    flight ??= openOnce().finally(() => {
      flight = null;
    });
    return flight;
  }

  const refuse = (id: unknown, message: string) =>
    send({ jsonrpc: '2.0', id, error: { code: -32000, message } });

  /** The options of a message that is sent. A stream that ends without the response ends its request. */
  function optionsOf({ id = '' }: Message) {
    const requestSignal = running.get(id)?.signal;
    const onRequestStreamEnd = () => {
      if (unanswered.delete(id)) refuse(id, CUT_OFF);
    };
    return { onRequestStreamEnd, ...(requestSignal && { requestSignal }) };
  }

  async function forward(message: Message): Promise<void> {
    const options = optionsOf(message);
    const current = desktop && (isOpen || isStateless(message)) ? desktop : await openSession();
    if (message.id !== undefined && isRequest(message)) unanswered.add(message.id);
    try {
      await current.send(message, options);
    } catch (error) {
      if (!isLost(error) && !(isCutOff(error) && isRepeatable(message))) throw error;
      await (await openSession()).send(message, options);
    }
  }

  async function forwardOrReport(message: Message): Promise<void> {
    try {
      await forward(message);
    } catch (error) {
      const { id } = message;
      if (id !== undefined) unanswered.delete(id);
      if (id !== undefined && running.get(id)?.signal.aborted) return;
      const text = faultOf(error);
      warn(text);
      if (isRequest(message)) refuse(id, text);
    }
  }

  // In order: each notification and response is sent before the next message. A request waits for no answer, not even for its first
  // headers: the desktop may ask the agent something before it sends any.
  let last: Promise<unknown> = Promise.resolve();
  const enqueue = (work: () => Promise<unknown>) => {
    last = last.then(() => (isOver ? undefined : work())).catch((error: Error) => warn(error.message));
  };

  function begin(message: Message): void {
    const wanted = String(message.params?.protocolVersion);
    const protocolVersion = SESSION_REVISIONS.includes(wanted) ? wanted : SESSION_REVISIONS[0];
    opening = [message];
    reply(message.id, {
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: NAME,
      instructions: INSTRUCTIONS,
    });
    lists.of(message.params?.clientInfo);
    // A failure is reported with the next request, which tries again.
    firstOpening = openSession().catch((error) => warn(faultOf(error)));
    enqueue(() => firstOpening);
  }

  /** A request without a session: it waits for no other, and is cancelled by the end of its connection. */
  function forwardAlone(message: Message): void {
    const { id } = message;
    if (id !== undefined) running.set(id, new AbortController());
    forwardOrReport(message).catch((error: Error) => warn(error.message));
  }

  /**
   * Answers a list from the known ones while no desktop is there. One that runs already is there in a moment, with its list of now.
   * @returns whether it does
   */
  function answerList(message: Message): boolean {
    const { id, method = '', params } = message;
    if (id === undefined || LISTS[method] === undefined || params?.cursor !== undefined) return false;
    const known = isOpen ? null : lists.get(method);
    if (known === null) {
      asked.set(id, method);
      return false;
    }
    const answer = async () => {
      await Promise.race([firstOpening, sleep(waitMs)]);
      if (isOpen) {
        asked.set(id, method);
        await forwardOrReport(message);
        return;
      }
      answered.add(method);
      reply(id, known);
    };
    inBackground(answer(), (error) => warn((error as Error).message));
    return true;
  }

  function receiveInSession(message: Message): void {
    const isInitialized = message.method === 'notifications/initialized';
    if (isInitialized) opening.push(message);
    // Before the session is open, it is opened with that notification.
    if (answerList(message) || (isInitialized && !isOpen)) return;
    enqueue(async () => {
      const sent = forwardOrReport(message);
      if (!isRequest(message)) await sent;
    });
  }

  function receive(message: Message): void {
    const { id, method, params } = message;
    const isCancelling = method === 'notifications/cancelled';
    // It gets no answer, whose absence is no fault.
    if (isCancelling) unanswered.delete(params?.requestId as string | number);
    const cancelled = isCancelling ? running.get(params?.requestId as string | number) : undefined;
    if (method === 'initialize' && id !== undefined) begin(message);
    else if (isStateless(message)) forwardAlone(message);
    else if (cancelled) cancelled.abort();
    else receiveInSession(message);
  }

  await readMessages(input, receive, stopped);
  isOver = true;
  input.destroy();
  const ending = async () => {
    await last;
    // A session that was being opened would keep this process running.
    await (flight as Promise<unknown> | null)?.catch(() => undefined);
    // Best effort: idle sessions time out on the desktop.
    const open = desktop as StreamableHTTPClientTransport | null;
    await open?.terminateSession().catch(() => undefined);
    await open?.close();
  };
  // A desktop that starts, or does not answer, keeps no gateway whose agent is gone.
  await Promise.race([ending(), sleep(ENDING_MS)]);
}
