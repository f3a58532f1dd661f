import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallProgress } from '@svc/runtime';

/** Progress notifications of a call. */
export type Progress = {
  /** Whether the agent requested progress. */
  wanted(): boolean;
  /** Forwards progress of the tool. */
  tool(progress: CallProgress): void;
  /** Reports that the call waits for something else. */
  waiting(message: string): void;
};

/** Increment of a keep-alive notification. MCP requires progress to increase each time; it must not look like the tool's own. */
const KEEP_ALIVE_STEP = 0.001;

/** Creates the progress notifications of a call. @param request that the agent waits for now: a call can span several */
export function progressOf(request: () => ServerContext['mcpReq']): Progress {
  let last = 0;
  const tokenOf = () => request()._meta?.progressToken;
  function send(progress: number, rest: { total?: number; message?: string }): void {
    const token = tokenOf();
    if (token === undefined) return;
    last = progress;
    const params = { progressToken: token, progress, ...rest };
    // If the agent has disconnected, its signal ends the call.
    request()
      .notify({ method: 'notifications/progress', params })
      .catch(() => undefined);
  }
  return {
    wanted: () => tokenOf() !== undefined,
    tool: ({ progress, ...rest }) => send(Math.max(progress, last + KEEP_ALIVE_STEP), rest),
    waiting: (message) => send(last + KEEP_ALIVE_STEP, { message }),
  };
}
