import type { Footprint, Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';

/** Where an app came from: a store, a folder of a developer, an MCP server added by its address, or the client itself. */
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
  | {
      kind: 'connector';
      /** Its address; of a command, a name made from it. */
      url: string;
      /** Left out for a server on the Internet. */
      local?: LocalConnector;
    }
  | { kind: 'built-in' };

/** A program that serves MCP on its standard input and output, and how it is started. */
export type LocalCommand = {
  /** Its full path. */
  program: string;
  args: readonly string[];
  /** The full path of the folder that it starts in. */
  folder: string;
  /** Names of the environment variables that it gets beside the usual ones. Their values are kept nowhere. */
  variables: readonly string[];
};

/** A connector on this machine or the local network, as the user agreed to it. */
export type LocalConnector =
  /** The IP addresses that its server may be at. */
  { kind: 'address'; addresses: readonly string[] } | ({ kind: 'command' } & LocalCommand);

/** What is local about an app; null for every app but a local connector. */
export const localPartOf = ({ source }: Pick<InstalledApp, 'source'>): LocalConnector | null =>
  source.kind === 'connector' ? (source.local ?? null) : null;

/** An app on this computer, as every part of the runtime sees it. */
export type InstalledApp = {
  appId: string;
  version: string;
  /** The manifest that was verified, or for a connector the one that was made for it. */
  manifest: Manifest;
  /**
   * What the user agreed to: the footprint of this very version, with the hashes of its pictures. It follows an
   * update down as well as up, so that what one update gave back must be asked for again.
   */
  consent: Footprint;
  source: AppSource;
  on: boolean;
  /** Why the store withdrew this version; null while it has not. */
  withdrawn: { reason: string; at: string } | null;
};

const footprints = new WeakMap<Manifest, Footprint>();

/** What an app may do now: what its verified manifest says, and nothing that only stands in a record of consent. */
export function enforcedFootprint({ manifest }: Pick<InstalledApp, 'manifest'>): Footprint {
  const footprint = footprints.get(manifest) ?? footprintOf(manifest);
  footprints.set(manifest, footprint);
  return footprint;
}
