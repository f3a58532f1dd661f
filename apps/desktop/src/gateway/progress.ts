import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallProgress } from '@svc/runtime';

/** Tells an agent that a call goes on. */
export type Progress = {
  /** Whether the agent wants to hear of it. */
  wanted: boolean;
  /** How far the tool itself has come. */
  tool(progress: CallProgress): void;
  /** That something else is waited for. */
  waiting(message: string): void;
};

/** What a sign of life adds. Progress must grow with each notification, and shall not pass for the tool's own. */
const LITTLE = 0.001;

/** The progress of one call, for as long as its agent listens. */
export function progressOf({ mcpReq }: ServerContext): Progress {
  const token = mcpReq._meta?.progressToken;
  let last = 0;
  function send(progress: number, rest: { total?: number; message?: string }): void {
    if (token === undefined) return;
    last = progress;
    const params = { progressToken: token, progress, ...rest };
    // An agent that went away hears nothing, and its call is ended by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
  return {
    wanted: token !== undefined,
    tool: ({ progress, ...rest }) => send(Math.max(progress, last + LITTLE), rest),
    waiting: (message) => send(last + LITTLE, { message }),
  };
}
