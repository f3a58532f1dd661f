import type { Progress } from '@modelcontextprotocol/client';
import { quoted } from './fault.ts';
import type { Secrets } from './secrets.ts';

/** Progress of a tool call. */
export type CallProgress = { progress: number; total?: number; message?: string };

/** Maximum length of a message, in characters. */
const MAX_MESSAGE = 2_000;

/** Reports progress with bounded messages without tokens, even if a token is split over several messages. */
export function safeProgress(report: ((progress: CallProgress) => void) | undefined, secrets: Secrets) {
  if (!report) return undefined;
  const strip = secrets.stream();
  return ({ progress, total, message }: Progress): void =>
    report({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: quoted(strip(message.slice(0, MAX_MESSAGE)), secrets) }),
    });
}
