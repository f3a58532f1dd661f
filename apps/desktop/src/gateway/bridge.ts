import { SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

/** Where a desktop listens for agents. */
export type Address = { url: string; bearer: string };

export type BridgeDeps = {
  /** The agent's end. */
  agent: Transport;
  /** Finds the desktop, and starts one where none runs. */
  reach(): Promise<Address>;
  /** Told in a line what went wrong. */
  warn(line: string): void;
};

/** Ids of the bridge's own requests; agents use others. */
const OWN_ID = 'svc-bridge';

/** A desktop that ended, or another in its place: nothing of what was sent has been done. */
function isLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 401;
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === 'ECONNREFUSED';
}

/**
 * Carries messages between an agent at our standard streams and the desktop, as they are. When the desktop was started again, a
 * session is begun there as the agent had begun its own, and the message goes there once more: a server that knows no such
 * session, or none that listens, has done nothing with it.
 * @returns when the agent is gone
 */
export async function bridge({ agent, reach, warn }: BridgeDeps): Promise<void> {
  const gone = Promise.withResolvers<void>();
  let desktop: StreamableHTTPClientTransport | null = null;
  let opening: JSONRPCMessage[] = [];
  let begun: PromiseWithResolvers<void> | null = null;

  function fromDesktop(from: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
    const [first] = opening;
    const isBeginning =
      isJSONRPCResultResponse(message) &&
      (message.id === OWN_ID || (first && isJSONRPCRequest(first) && message.id === first.id));
    if (isBeginning) from.setProtocolVersion(String(message.result.protocolVersion));
    if (isJSONRPCResultResponse(message) && message.id === OWN_ID) begun?.resolve();
    else if (from === desktop) agent.send(message).catch(() => gone.resolve());
  }

  async function connect(): Promise<StreamableHTTPClientTransport> {
    const { url, bearer } = await reach();
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    transport.onmessage = (message) => fromDesktop(transport, message);
    await transport.start();
    return transport;
  }

  /** Begins a session on a new desktop as the agent began its own. */
  async function beginAgain(): Promise<StreamableHTTPClientTransport> {
    await desktop?.close();
    desktop = await connect();
    const [first, ...rest] = opening;
    begun = Promise.withResolvers();
    if (first) await desktop.send({ ...first, id: OWN_ID } as JSONRPCMessage);
    if (first) await begun.promise;
    for (const message of rest) await desktop.send(message);
    return desktop;
  }

  async function carry(message: JSONRPCMessage): Promise<void> {
    const isOpening = isInitializeRequest(message);
    desktop ??= await connect();
    try {
      await desktop.send(message);
    } catch (error) {
      if (!isLost(error) || isOpening) throw error;
      await (await beginAgain()).send(message);
    }
    if (isOpening) opening = [message];
    else if (isInitializedNotification(message)) opening.push(message);
  }

  /** What the desktop's server says of a message it did not take. */
  function faultOf(error: unknown): string {
    if (!(error instanceof SdkHttpError)) return (error as Error).message;
    const said = /"message":"([^"]{1,300})"/.exec(String(error.message))?.[1];
    return said ?? `The desktop answers ${error.status}.`;
  }

  async function carryOrSay(message: JSONRPCMessage): Promise<void> {
    try {
      if (isInitializeRequest(message)) opening = [message];
      await carry(message);
    } catch (error) {
      const text = faultOf(error);
      warn(text);
      if (isJSONRPCRequest(message))
        await agent.send({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: text } });
    }
  }

  // One after the other, as they came: each is on its way before the next, and none waits for an answer.
  let last = Promise.resolve();
  agent.onmessage = (message) => {
    last = last.then(() => carryOrSay(message)).catch(() => gone.resolve());
  };
  agent.onclose = () => gone.resolve();
  await agent.start();
  await gone.promise;
  // The desktop ends the session by itself when it is not told.
  await (desktop as StreamableHTTPClientTransport | null)?.terminateSession().catch(() => undefined);
  await (desktop as StreamableHTTPClientTransport | null)?.close();
}
