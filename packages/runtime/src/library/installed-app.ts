import { createHash } from 'node:crypto';
import type { Footprint, Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';

/** The source of an app: a store, a developer folder, an MCP server added by the user, or the client itself. */
export type AppSource =
  | {
      kind: 'store';
      store: string;
      /** The hash of the bundle whose signature was verified, and the id of the key that signed it. */
      sha256: string;
      keyId: string;
      /** From the signed statement. */
      publishedAt: string;
      /** When it was installed here; missing in records of earlier versions. */
      installedAt?: string;
    }
  | { kind: 'developer'; folder: string }
  | {
      kind: 'connector';
      /** Its URL; for a command, a name derived from it. */
      url: string;
      /** Missing for a server on the Internet. */
      local?: LocalConnector;
      /** Names of the headers that the user gave, in lower case. Their values are in the vault. */
      headers?: readonly string[];
    }
  | { kind: 'built-in' };

/** A program that serves MCP over standard input and output. */
export type LocalCommand = {
  program: string;
  args: readonly string[];
  /** The full path of the folder that it starts in. */
  folder: string;
  /** Names of additional environment variables that it gets. Their values are not stored. */
  variables: readonly string[];
};

/** A connector on this machine or the local network, as the user agreed to it. */
export type LocalConnector =
  /** The IP addresses that its server may be at. */
  { kind: 'address'; addresses: readonly string[] } | ({ kind: 'command' } & LocalCommand);

/** What is local about an app; null for every app but a local connector. */
export const localPartOf = ({ source }: Pick<InstalledApp, 'source'>): LocalConnector | null =>
  source.kind === 'connector' ? (source.local ?? null) : null;

/** An installed app. */
export type InstalledApp = {
  appId: string;
  version: string;
  /** The verified manifest; for a connector a generated one. */
  manifest: Manifest;
  /**
   * The footprint that the user agreed to, of this version and with the hashes of its pictures. An update can also reduce it: a
   * permission that one update drops needs consent again in the next.
   */
  consent: Footprint;
  source: AppSource;
  on: boolean;
  /** Why the store yanked this version; null if it has not. */
  withdrawn: { reason: string; at: string } | null;
};

const footprints = new WeakMap<Manifest, Footprint>();

/** The host of an app's server; empty for an app without one. */
export const serverHostOf = (app: Pick<InstalledApp, 'manifest'>): string =>
  URL.parse(enforcedFootprint(app).mcpUrl)?.host ?? '';

/** The enforced permissions of an app: computed from the verified manifest, not from the stored consent. */
export function enforcedFootprint({ manifest }: Pick<InstalledApp, 'manifest'>): Footprint {
  const footprint = footprints.get(manifest) ?? footprintOf(manifest);
  footprints.set(manifest, footprint);
  return footprint;
}

/**
 * The name of a command, in place of a server's address. It is derived from everything that the user agreed to, so that another
 * command is another connector, with a card of its own.
 */
export const commandUrl = ({ program, args, folder, variables }: LocalCommand): string =>
  `command:${createHash('sha256')
    .update(JSON.stringify([program, args, folder, variables]))
    .digest('hex')}`;
