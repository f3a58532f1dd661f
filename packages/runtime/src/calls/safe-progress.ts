import type { Progress } from '@modelcontextprotocol/client';
import { quoted } from './fault.ts';
import type { Secrets } from './secrets.ts';

/** How far a tool has come, in steps of its own. */
export type CallProgress = { progress: number; total?: number; message?: string };

/** What is looked at of one message, in characters. */
const MAX_MESSAGE = 2_000;

/** Progress as the agent may see it: texts in bounds and without tokens, also such as come in pieces. */
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
