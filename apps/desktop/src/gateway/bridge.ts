import { SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

/** The gateway endpoint of a desktop, and how requests reach it. */
export type GatewayEndpoint = { url: string; fetch: typeof fetch; bearer: string };

export type BridgeDeps = {
  /** The agent's end. */
  agent: Transport;
  /** Finds the desktop, or starts one. */
  connect(): Promise<GatewayEndpoint>;
  /** Reports an error as one line. */
  warn(line: string): void;
};

/** Ids of the bridge's own requests; agents use others. */
const OWN_ID = 'svc-bridge';

/** Whether the desktop has exited or been replaced. The message was then not processed. */
function isLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 401;
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

/**
 * Forwards messages unchanged between an agent on the standard streams and the desktop. After a restart of the desktop, the bridge
 * opens a new session with the agent's own initialize request and sends the message again, which is safe: a server without that
 * session has not processed it.
 * @returns when the agent disconnects
 */
export async function bridge({ agent, connect: findDesktop, warn }: BridgeDeps): Promise<void> {
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
    const { url, fetch, bearer } = await findDesktop();
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch });
    transport.onmessage = (message) => fromDesktop(transport, message);
    await transport.start();
    return transport;
  }

  /** Opens a session on a new desktop with the agent's own initialize request. */
  async function reopenSession(): Promise<StreamableHTTPClientTransport> {
    await desktop?.close();
    desktop = await connect();
    const [first, ...rest] = opening;
    begun = Promise.withResolvers();
    if (first) await desktop.send({ ...first, id: OWN_ID } as JSONRPCMessage);
    if (first) await begun.promise;
    for (const message of rest) await desktop.send(message);
    return desktop;
  }

  async function forward(message: JSONRPCMessage): Promise<void> {
    const isOpening = isInitializeRequest(message);
    desktop ??= await connect();
    try {
      await desktop.send(message);
    } catch (error) {
      if (!isLost(error) || isOpening) throw error;
      await (await reopenSession()).send(message);
    }
    if (isOpening) opening = [message];
    else if (isInitializedNotification(message)) opening.push(message);
  }

  /** The error message of a message that the desktop refused. */
  function faultOf(error: unknown): string {
    if (!(error instanceof SdkHttpError)) return (error as Error).message;
    const message = /"message":"([^"]{1,300})"/.exec(String(error.message))?.[1];
    return message ?? `svc desktop responded with HTTP status ${error.status}.`;
  }

  async function forwardOrReport(message: JSONRPCMessage): Promise<void> {
    try {
      if (isInitializeRequest(message)) opening = [message];
      await forward(message);
    } catch (error) {
      const text = faultOf(error);
      warn(text);
      if (isJSONRPCRequest(message))
        await agent.send({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: text } });
    }
  }

  // In order: each message is sent before the next one, without waiting for responses.
  let last = Promise.resolve();
  agent.onmessage = (message) => {
    last = last.then(() => forwardOrReport(message)).catch(() => gone.resolve());
  };
  agent.onclose = () => gone.resolve();
  await agent.start();
  await gone.promise;
  // Best effort: idle sessions time out on the desktop.
  await (desktop as StreamableHTTPClientTransport | null)?.terminateSession().catch(() => undefined);
  await (desktop as StreamableHTTPClientTransport | null)?.close();
}
