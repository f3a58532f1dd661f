import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallProgress } from '@svc/runtime';

/** Progress notifications of a call. */
export type Progress = {
  /** Whether the agent requested progress. */
  wanted: boolean;
  /** Forwards progress of the tool. */
  tool(progress: CallProgress): void;
  /** Reports that the call waits for something else. */
  waiting(message: string): void;
};

/** Increment of a keep-alive notification. MCP requires progress to increase each time; it must not look like the tool's own. */
const KEEP_ALIVE_STEP = 0.001;

/** Creates the progress notifications of a call. */
export function progressOf({ mcpReq }: ServerContext): Progress {
  const token = mcpReq._meta?.progressToken;
  let last = 0;
  function send(progress: number, rest: { total?: number; message?: string }): void {
    if (token === undefined) return;
    last = progress;
    const params = { progressToken: token, progress, ...rest };
    // If the agent has disconnected, its signal ends the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
  return {
    wanted: token !== undefined,
    tool: ({ progress, ...rest }) => send(Math.max(progress, last + KEEP_ALIVE_STEP), rest),
    waiting: (message) => send(last + KEEP_ALIVE_STEP, { message }),
  };
}
