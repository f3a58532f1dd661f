import type { Manifest, ServedTool } from '@svc/contracts';

/** What a server lists, or why it lists nothing. */
export type Listed =
  | { is: 'listed'; tools: ServedTool[]; ttlMs: number }
  | { is: 'needs-sign-in' }
  /** `fault` is a sentence of ours; `retryAfter` is what the server asked for, in seconds. */
  | { is: 'not-answering'; fault: string; retryAfter: number | null };

/** Lists the tools of the MCP servers of apps, which are not trusted. */
export interface ServerLister {
  /**
   * The tools of an app's server, cleaned and bounded. Never fails.
   * @param options `token` is sent to the host of its MCP URL
   */
  list(
    app: Pick<Manifest, 'remote'>,
    options?: { token?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<Listed>;
}
