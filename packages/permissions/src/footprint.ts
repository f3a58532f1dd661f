import type { SignedFootprint } from '@svc/contracts';

/** What one file argument of a tool takes. */
export type FileReach = { maxBytes: number; multiple: boolean };

/** What one tool reaches. `wording` is all of its declaration that neither widens nor narrows anything. */
export type ToolReach = { account: string | null; confirms: boolean; wording: string };

/** Where the user's credentials for one account are sent. */
export type AuthEndpoints = {
  auth: 'mcp' | 'declared';
  authorizeUrl: string | null;
  tokenUrl: string | null;
  revokeUrl: string | null;
  clientId: string | null;
};

/**
 * Everything an app may reach, as one value. The first three lists are what is signed, listed and consented to; the
 * rest is what an update must be compared on. All lists are deduplicated and sorted by code unit.
 */
export type Footprint = SignedFootprint & {
  mcpUrl: string;
  /** App ids and connector addresses the app needs. */
  requires: string[];
  /** `tool.param` to what it takes. */
  fileParams: ReadonlyMap<string, FileReach>;
  /** Tool id to what it reaches. */
  tools: ReadonlyMap<string, ToolReach>;
  /** Account id to where its credentials go. */
  endpoints: ReadonlyMap<string, AuthEndpoints>;
};
