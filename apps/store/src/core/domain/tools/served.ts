import type { Manifest, ServedTool, ServerStatus, ToolRecord } from '@svc/contracts';

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

/** Which tools the server of a version had. */
export type StoredTools = Pick<ToolRecord, 'source' | 'recordedAt' | 'reviewedAt'> & { tools: ServedTool[] };

/** What is known about the server of a version: its tools when they were recorded, and how it was found at the last check. */
export type ServerFound = { tools: StoredTools | null; status: ServerStatus | null };

/** What a store knows about a server that it never listed. */
export const NOTHING_FOUND: ServerFound = { tools: null, status: null };
