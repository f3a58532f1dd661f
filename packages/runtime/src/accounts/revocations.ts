import { z } from 'zod';
import type { System } from '../platform/system.ts';
import type { Draft, EntryName, Vault } from '../vault/vault.ts';
import { entryAs, type Grant, LoopbackShape, OAuthClient } from './grant.ts';
import { type Guard, requestsOf } from './requests.ts';
import { revokeToken } from './token-endpoint.ts';

/** A pending revocation of a token that no account uses. */
const Revocation = z.object({
  token: z.string(),
  hint: z.enum(['access_token', 'refresh_token']),
  server: z.object({
    issuer: z.string().nullable(),
    tokenEndpoint: z.string(),
    revocationEndpoint: z.string(),
  }),
  client: OAuthClient,
  loopback: LoopbackShape,
  tries: z.number(),
  /** Milliseconds since 1970. */
  notBefore: z.number(),
});
type Revocation = z.infer<typeof Revocation>;

/** Delays between retries, in milliseconds: two days in all. Then the token is deleted without being revoked. */
const WAITS_MS = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * 60_000);

/** Maximum timer, in milliseconds: the clock may change, and the machine may sleep. */
const MAX_SLEEP_MS = 60 * 60_000;

/** Whether the server revoked the token; if not, `reason` is text to show. */
export type Revoked = {
  revoked: boolean;
  reason?: string;
  /** The server could not be reached; the revocation is retried later. */
  pending?: true;
};

/** Null for an entry in another format. */
const parse = (text: string | null): Revocation | null => entryAs(Revocation, text);

/**
 * Adds a pending revocation of a grant, in the same write that deletes the grant, so that no crash separates the two.
 * @returns its name; null when the server does not support revocation
 */
export function addRevocation(
  draft: Draft,
  appId: string,
  { accessToken, refreshToken, server, client, loopback }: Grant,
  { randomBytes, now }: Pick<System, 'randomBytes' | 'now'>,
): EntryName | null {
  const { revocationEndpoint } = server;
  if (revocationEndpoint === null) return null;
  const revocation: Revocation = {
    token: refreshToken ?? accessToken,
    hint: refreshToken === null ? 'access_token' : 'refresh_token',
    server: { ...server, revocationEndpoint },
    client,
    loopback,
    tries: 0,
    notBefore: now(),
  };
  const name = ['revocation', appId, Buffer.from(randomBytes(9)).toString('base64url')] as const;
  draft.set(name, JSON.stringify(revocation));
  return name;
}

type Deps = {
  vault: Vault;
  system: System;
  guard: Guard;
  signal: AbortSignal;
  onFault(error: unknown): void;
};

export function createRevocations({ vault, system, guard, signal, onFault }: Deps) {
  const underWay = new Map<string, Promise<Revoked>>();
  let waiting = false;

  /** Updates or deletes an entry, unless another process deleted it. */
  const settle = (name: EntryName, next: Revocation | null): Promise<void> =>
    vault.edit((draft) => {
      if (draft.get(name) !== null) draft.set(name, next && JSON.stringify(next));
    });

  async function attempt(name: EntryName): Promise<Revoked> {
    const entry = parse(await vault.read(name));
    if (!entry) {
      await settle(name, null);
      return { revoked: true };
    }
    const result = await revokeToken(entry, requestsOf({ guard, system }, entry.loopback, signal));
    if (result.outcome === 'revoked') {
      await settle(name, null);
      return { revoked: true };
    }
    const reason = result.fault.message;
    const wait = result.outcome === 'refused' ? undefined : WAITS_MS[entry.tries];
    if (wait === undefined) {
      await settle(name, null);
      return { revoked: false, reason };
    }
    await settle(name, { ...entry, tries: entry.tries + 1, notBefore: system.now() + wait });
    return { revoked: false, reason, pending: true };
  }

  function send(name: EntryName): Promise<Revoked> {
    const key = JSON.stringify(name);
    const present = underWay.get(key);
    if (present) return present;
    const sending = attempt(name).finally(() => underWay.delete(key));
    underWay.set(key, sending);
    return sending;
  }

  /** @returns when the next one is due; null when there is none */
  async function sendDue(): Promise<number | null> {
    let next: number | null = null;
    for (const name of await vault.names('revocation')) {
      signal.throwIfAborted();
      const due = parse(await vault.read(name))?.notBefore ?? 0;
      const isPending = due > system.now() || (await send(name)).pending === true;
      const at = isPending ? (parse(await vault.read(name))?.notBefore ?? null) : null;
      if (at !== null) next = Math.min(next ?? at, at);
    }
    return next;
  }

  async function follow(next: number | null): Promise<void> {
    for (let at = next; at !== null; at = await sendDue()) {
      await system.sleep(Math.min(Math.max(at - system.now(), 1_000), MAX_SLEEP_MS), signal);
    }
  }

  return {
    /** Sends a revocation now. */
    send,
    /** Sends the due revocations, and schedules the others in the background. */
    async drain() {
      const next = await sendDue();
      if (next === null || waiting) return;
      waiting = true;
      follow(next)
        .catch((error: unknown) => (signal.aborted ? undefined : onFault(error)))
        .finally(() => {
          waiting = false;
        });
    },
  };
}

/** Pending revocations. They are stored in the vault. */
export type Revocations = ReturnType<typeof createRevocations>;
