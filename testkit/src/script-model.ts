import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of a request to `/chat/completions` that scripts use. */
export type ModelRequest = {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { function: { name: string; description?: string; parameters?: unknown } }[];
};

/** The response of a script. */
export type ScriptAnswer = {
  /** Pieces of text, each sent separately. */
  text?: readonly string[];
  calls?: readonly { name: string; arguments: unknown }[];
  /** An error instead of a response. */
  error?: { status: number; message: string };
  /** Milliseconds before each piece. */
  delayMs?: number;
  /** Called when a piece of text was sent; the next one waits for it. */
  sent?(piece: string): unknown;
  /** Closes the connection in the middle, or never ends the response. */
  end?: 'cut' | 'hang';
};

export type ModelScript = (request: ModelRequest) => ScriptAnswer | Promise<ScriptAnswer>;

export type ScriptModel = {
  /** Base URL for OpenAI-compatible clients. */
  baseUrl: string;
  requests: ModelRequest[];
  /** The received `Authorization` headers. */
  keys: (string | undefined)[];
  close(): Promise<void>;
};

/** The model id, which shows that it is a script. */
export const SCRIPT_MODEL = 'script (not an AI)';

async function jsonOf(request: IncomingMessage): Promise<ModelRequest> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text) as ModelRequest;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function sendError(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ error: { message, type: 'script' } }));
}

async function stream(response: ServerResponse, model: string, answer: ScriptAnswer): Promise<void> {
  const { text = [], calls = [], delayMs = 0, sent, end } = answer;
  const id = `chatcmpl-${randomUUID()}`;
  const send = (delta: unknown, reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model, choices })}\n\n`,
    );
  };
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  send({ role: 'assistant', content: '' });
  for (const content of text) {
    if (delayMs > 0) await pause(delayMs);
    if (response.destroyed) return;
    send({ content });
    await sent?.(content);
  }
  // The sent pieces arrive, and then the connection closes before the end of the response.
  if (end === 'cut') return void response.socket?.end();
  if (end === 'hang') return;
  for (const [index, call] of calls.entries()) {
    const given = { name: call.name, arguments: '' };
    send({ tool_calls: [{ index, id: `call_${randomUUID()}`, type: 'function', function: given }] });
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const half = Math.ceil(args.length / 2);
    for (const piece of [args.slice(0, half), args.slice(half)])
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  response.end('data: [DONE]\n\n');
}

/**
 * Opens a model server that follows a script: real HTTP, with the API of OpenAI's chat completions.
 * @param key the required API key; none by default
 */
export async function openScriptModel(
  script: ModelScript,
  { key, port = 0 }: { key?: string; port?: number } = {},
): Promise<ScriptModel> {
  const requests: ModelRequest[] = [];
  const keys: (string | undefined)[] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    keys.push(request.headers.authorization);
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return sendError(response, 401, `Incorrect key: ${request.headers.authorization}`);
    if (request.url === '/v1/models') {
      const body = { object: 'list', data: [{ id: SCRIPT_MODEL, object: 'model' }] };
      return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }
    if (request.url !== '/v1/chat/completions') return sendError(response, 404, 'Not found');
    const asked = await jsonOf(request);
    requests.push(asked);
    const answer = await script(asked);
    if (answer.error) return sendError(response, answer.error.status, answer.error.message);
    await stream(response, asked.model, answer);
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => sendError(response, 500, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The text of the last message of the user. */
export function lastUserText({ messages }: ModelRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}

/** The results of tools if they are the last messages. Their pictures are a message of the user behind them. */
export function lastResults({ messages: all }: ModelRequest): string[] {
  const hasPictures = all.at(-1)?.role === 'user' && all.at(-2)?.role === 'tool';
  const messages = hasPictures ? all.slice(0, -1) : all;
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1).map(({ content }) => String(content));
}
