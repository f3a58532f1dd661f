import type { Manifest } from '@svc/contracts';
import { type Footprint, footprintOf } from '@svc/permissions';

/** Where an app came from: a store, a folder of a developer, or a hosted MCP server somebody added by its address. */
export type AppSource =
  | {
      kind: 'store';
      store: string;
      /** Of the bundle whose signature was verified, and the id of the key that had signed it. */
      sha256: string;
      keyId: string;
      /** As it was signed. */
      publishedAt: string;
      /** When it was put in its place here; left out in records of before this was kept. */
      installedAt?: string;
    }
  | { kind: 'developer'; folder: string }
  | { kind: 'connector'; url: string };

/** An app on this computer, as every part of the runtime sees it. */
export type InstalledApp = {
  appId: string;
  version: string;
  /** The manifest that was verified, or for a connector the one that was made for it. What it names is all the app may do. */
  manifest: Manifest;
  /**
   * What a person last agreed to. It covers the manifest and may be wider: an update that reaches for less does not make a
   * person agree again when a later one takes up the rest.
   */
  consent: Footprint;
  source: AppSource;
  on: boolean;
  /** Why the store withdrew this version; null while it has not. */
  withdrawn: { reason: string; at: string } | null;
};

const reaches = new WeakMap<Manifest, Footprint>();

/** What an app reaches: what its manifest says, and nothing that only an earlier version was agreed to. */
export function reachOf({ manifest }: Pick<InstalledApp, 'manifest'>): Footprint {
  const reach = reaches.get(manifest) ?? footprintOf(manifest);
  reaches.set(manifest, reach);
  return reach;
}
