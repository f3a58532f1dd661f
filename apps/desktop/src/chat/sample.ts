import { type ModelRequest, RuntimeError, type ServerServices } from '@svc/runtime';
import { ModelError } from './model-fault.ts';
import { streamStep } from './model-server.ts';
import type { Providers } from './providers.ts';

async function answer(
  { list, server }: Providers,
  { system, messages, maxTokens }: ModelRequest,
  signal: AbortSignal,
): Promise<{ model: string; text: string }> {
  const chosen = list().default;
  if (!chosen) throw new RuntimeError('not-offered', 'The user has chosen no model.');
  const step = {
    ...{ server: await server(chosen.provider), model: chosen.model, tools: [], maxTokens, signal },
    instructions: system ?? '',
    messages: messages.map(({ role, text }) => ({ role, content: text })),
  };
  let text = '';
  for await (const event of streamStep(step)) if (event.type === 'text') text += event.text;
  return { model: chosen.model, text };
}

/** Has the chosen model answer the servers of connectors (MCP sampling). */
export const sampleWith =
  (providers: Providers): NonNullable<ServerServices['sample']> =>
  (request, signal) =>
    answer(providers, request, signal).catch((error: unknown) => {
      // The words of a provider are for the user, not for the server of a connector.
      throw error instanceof ModelError
        ? new RuntimeError('not-offered', 'The model did not answer.')
        : error;
    });
