import type { CallDeps } from '../../src/calls/calls.ts';
import type { Answer, Card } from '../../src/cards/card.ts';
import type { ConnectorChoices } from '../../src/library/choice-tables.ts';
import { openCalls } from './calls.ts';
import { event, text } from './mcp-server.ts';

export type Request = { method: string; params?: object };
export type Response = { result?: Record<string, unknown>; error?: { code: number; message: string } };

const local = { kind: 'address', addresses: ['127.0.0.1', '::1'] } as const;
export const CONNECTOR = { source: { kind: 'connector', url: 'http://localhost/mcp', local } } as const;
const DEFAULTS: ConnectorChoices = { media: true, questions: true, sampling: false, roots: false };

type Given = {
  connector?: boolean;
  choices?: Partial<ConnectorChoices>;
  deps?: Partial<CallDeps>;
  answer?: (card: Card) => Answer | Promise<Answer>;
};

export const yes = (card: Card, content?: QuestionContent): Answer => ({
  accepted: true,
  ...('binding' in card && { binding: card.binding }),
  ...(content && { content }),
});

/** A question with a form of these fields. */
export const form = (properties: object, required: string[] = []): Request => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties, required } },
});

export type QuestionContent = Extract<Answer, { accepted: true }>['content'];

/** A server that sends these requests during each call, one after the other, and keeps the responses of the client. */
export async function asking(requests: readonly Request[], given: Given = {}) {
  const responses: Response[] = [];
  const declared: unknown[] = [];
  let next = () => {};
  const opened = await openCalls(
    async ({ response, message }) => {
      for (const [id, request] of requests.entries()) {
        const answered = new Promise<void>((resolve) => {
          next = resolve;
        });
        event(response, { jsonrpc: '2.0', id: `ask-${id}`, ...request });
        await answered;
      }
      event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
      return undefined;
    },
    {
      ...(given.connector !== false && { app: CONNECTOR }),
      ...(given.answer && { answer: given.answer }),
      deps: {
        connectorSettings: { of: () => ({ ...DEFAULTS, ...given.choices }) },
        ...given.deps,
      },
      server: {
        before({ message, response }) {
          if (message.method === 'initialize') declared.push(Reflect.get(message.params, 'capabilities'));
          if (message.method !== undefined) return false;
          responses.push(message as unknown as Response);
          response.writeHead(202).end();
          next();
          return true;
        },
      },
    },
  );
  return { ...opened, responses, declared };
}
