import { z } from 'zod';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { Draft, EntryName, Vault } from '../vault/vault.ts';
import { bindingOf, entryAs, Grant } from './grant.ts';
import { registrationIn } from './oauth-client.ts';
import { addRevocation, type Revocations, type Revoked } from './revocations.ts';
import type { SignIns } from './sign-ins.ts';

/** The authorization server that the user agreed to, for an account whose server is discovered, and the metadata that named it. */
const AgreedServer = z.object({
  binding: z.string(),
  issuer: z.string(),
  metadataUrl: z.exactOptional(z.string()),
});
type AgreedServer = z.infer<typeof AgreedServer>;

/** A deleted grant, and its pending revocation if its server supports revocation. */
type Ended = { grant: Grant; revocation: EntryName | null };

type GrantDeps = {
  vault: Vault;
  system: Pick<System, 'now' | 'randomBytes'>;
  /** Looks up an installed app. Default: grants are kept until they are disconnected. */
  installed?: ((appId: string) => InstalledApp | null) | undefined;
  /** Called when revocations are pending. */
  revoking(): void;
};

/** How long a registration without an account is kept, in milliseconds; longer than a sign-in takes. */
const UNUSED_MS = 15 * 60_000;

const grantName = (appId: string, accountId: string): EntryName => ['account', appId, accountId];
const serverName = (appId: string, accountId: string): EntryName => ['server', appId, accountId];

/** Null for a grant in the format of another version of this program: the user connects again. */
const parse = (text: string | null): Grant | null => entryAs(Grant, text);

/** Whether two grants have the same tokens. */
const isSame = (a: Grant, b: Grant): boolean =>
  a.accessToken === b.accessToken && a.refreshToken === b.refreshToken;

function put(draft: Draft, appId: string, accountId: string, grant: Grant): void {
  const { binding, server, metadataUrl } = grant;
  const agreed: AgreedServer | null =
    server.issuer === null
      ? null
      : { binding, issuer: server.issuer, ...(metadataUrl !== undefined && { metadataUrl }) };
  draft.set(grantName(appId, accountId), JSON.stringify(grant));
  draft.set(serverName(appId, accountId), agreed && JSON.stringify(agreed));
}

function clear(draft: Draft, appId: string, accountId: string): void {
  draft.set(grantName(appId, accountId), null);
  draft.set(serverName(appId, accountId), null);
}

/** Deletes registrations that no connected or formerly connected account uses: either has a server that the user agreed to. */
function pruneClients(draft: Draft, now: number): void {
  const issuers = new Set(
    draft.names('server').map((name) => entryAs(AgreedServer, draft.get(name))?.issuer),
  );
  for (const name of draft.names('client')) {
    const registration = registrationIn(draft.get(name));
    const isNeeded = registration && issuers.has(name[1]);
    if (!isNeeded && now - (registration?.madeAt ?? 0) > UNUSED_MS) draft.set(name, null);
  }
}

function deleteRegistrations(draft: Draft, id: string): void {
  for (const name of draft.names('client')) {
    if (registrationIn(draft.get(name))?.client.id === id) draft.set(name, null);
  }
}

function deleteUnusedRegistrations(draft: Draft, id: string): void {
  const isUsed = draft.names('account').some((name) => parse(draft.get(name))?.client.id === id);
  if (!isUsed) deleteRegistrations(draft, id);
}

/** Whether a binding is of a developer folder; only the process that opened the folder knows whether it still exists. */
const isOfFolder = (binding: string): boolean => JSON.parse(binding)[0] === 'developer';

export function grantsIn({ vault, system, installed, revoking }: GrantDeps) {
  /** Whether a binding belongs to an account of an installed app. */
  function isOwned(appId: string, accountId: string, binding: string | undefined): boolean {
    const app = installed?.(appId);
    if (app === undefined) return true;
    const account = app?.manifest.accounts?.find(({ id }) => id === accountId);
    if (binding === undefined) return account !== undefined;
    if (app && account && bindingOf(app, account) === binding) return true;
    return app === null && isOfFolder(binding);
  }

  function endIn(draft: Draft, appId: string, accountId: string): Ended | null {
    const grant = parse(draft.get(grantName(appId, accountId)));
    clear(draft, appId, accountId);
    if (grant) deleteUnusedRegistrations(draft, grant.client.id);
    return grant && { grant, revocation: addRevocation(draft, appId, grant, system) };
  }

  /** Edits the vault, and announces pending revocations. */
  async function revokingEdit<T>(
    work: (draft: Draft, revoke: (appId: string, grant: Grant) => void) => T,
  ): Promise<T> {
    let count = 0;
    const result = await vault.edit((draft) =>
      work(draft, (appId, grant) => {
        if (addRevocation(draft, appId, grant, system)) count += 1;
      }),
    );
    if (count > 0) revoking();
    return result;
  }

  return {
    find: async (appId: string, accountId: string): Promise<Grant | null> =>
      parse(await vault.read(grantName(appId, accountId))),
    requireWritable: vault.requireWritable,
    /**
     * Stores a grant, replacing any other.
     * @returns false when the app was removed or no longer has the account; the grant is then revoked
     */
    keep: (appId: string, accountId: string, grant: Grant): Promise<boolean> =>
      revokingEdit((draft, revoke) => {
        const present = parse(draft.get(grantName(appId, accountId)));
        if (present && present.binding !== grant.binding) revoke(appId, present);
        const isKept = isOwned(appId, accountId, grant.binding);
        if (isKept) put(draft, appId, accountId, grant);
        else {
          clear(draft, appId, accountId);
          revoke(appId, grant);
          deleteUnusedRegistrations(draft, grant.client.id);
        }
        return isKept;
      }),
    /**
     * Replaces a grant by the renewed one. If the old grant was deleted in the meantime, the new one is revoked.
     * @returns the stored grant
     */
    replace: (appId: string, accountId: string, old: Grant, next: Grant): Promise<Grant | null> =>
      revokingEdit((draft, revoke) => {
        const name = grantName(appId, accountId);
        const present = parse(draft.get(name));
        if (present && isSame(present, old)) {
          draft.set(name, JSON.stringify(next));
          return next;
        }
        // If the user signed in again at the same server, revoking the old grant could revoke the new one too.
        if (present?.binding !== next.binding) revoke(appId, next);
        return present;
      }),
    /**
     * Deletes a grant that its server refuses, unless another one was stored in the meantime.
     * @param registration what becomes of the registration of its client: deleted, or only unless another grant uses it
     * @returns the stored grant
     */
    drop: (
      appId: string,
      accountId: string,
      old: Grant,
      registration: 'deleted' | 'deleted-unused' | 'kept',
    ): Promise<Grant | null> =>
      vault.edit((draft) => {
        const name = grantName(appId, accountId);
        const present = parse(draft.get(name));
        if (registration === 'deleted') deleteRegistrations(draft, old.client.id);
        if (!present || !isSame(present, old)) return present;
        draft.set(name, null);
        if (registration === 'deleted-unused') deleteUnusedRegistrations(draft, old.client.id);
        return null;
      }),
    /** Deletes the grant of an account. @returns the deleted grant */
    end: (appId: string, accountId: string): Promise<Ended | null> =>
      vault.edit((draft) => endIn(draft, appId, accountId)),
    /** Deletes all grants without an account: the app was removed, or an update dropped the account or changed its servers. */
    endOrphans: (): Promise<{ appId: string; accountId: string }[]> =>
      vault.edit((draft) => {
        const ended = [];
        for (const [, appId, accountId] of draft.names('account')) {
          const binding = parse(draft.get(grantName(appId, accountId)))?.binding;
          if (isOwned(appId, accountId, binding)) continue;
          endIn(draft, appId, accountId);
          ended.push({ appId, accountId });
        }
        for (const name of draft.names('server')) {
          const binding = entryAs(AgreedServer, draft.get(name))?.binding ?? '[]';
          if (!isOwned(name[1], name[2], binding)) draft.set(name, null);
        }
        pruneClients(draft, system.now());
        return ended;
      }),
    /** The server that the user agreed to for an account; null when there is none. */
    async agreedServer(app: InstalledApp, accountId: string): Promise<AgreedServer | null> {
      const account = app.manifest.accounts?.find(({ id }) => id === accountId);
      const agreed = entryAs(AgreedServer, await vault.read(serverName(app.appId, accountId)));
      return account && agreed?.binding === bindingOf(app, account) ? agreed : null;
    },
  };
}

/** The grants in the vault, by app and account. Each change is one durable write. */
export type Grants = ReturnType<typeof grantsIn>;

/** Whether the server revoked the grant; if not, `reason` is text to show. */
export type Disconnected = Revoked;

/**
 * Deletes a grant and revokes it at its server (RFC 7009); an unreachable server is retried later. Works for apps that are off or
 * yanked, and for accounts that the app no longer declares.
 */
export async function disconnectAccount(
  { grants, events, revocations }: { grants: Grants; events: Events; revocations: Revocations },
  app: InstalledApp,
  accountId: string,
): Promise<Disconnected> {
  const { appId } = app;
  const ended = await grants.end(appId, accountId);
  if (!ended) return { revoked: false, reason: 'The account was not connected.' };
  events.emit({ type: 'account-disconnected', appId, accountId });
  if (ended.revocation) return revocations.send(ended.revocation);
  return { revoked: false, reason: 'The authorization server does not support revocation.' };
}

type Deps = {
  grants: Pick<Grants, 'endOrphans'>;
  revocations: Pick<Revocations, 'drain'>;
  signIns: Pick<SignIns, 'cancel'>;
  events: Events;
  closing: AbortController;
  onFault?: ((error: unknown) => void) | undefined;
};

/** Deletes grants of apps and accounts that are no longer installed. */
export function createSettling({
  grants,
  revocations,
  signIns,
  closing,
  events,
  onFault = () => undefined,
}: Deps) {
  let isUsed = false;

  async function settle(): Promise<void> {
    isUsed = true;
    for (const { appId, accountId } of await grants.endOrphans()) {
      events.emit({ type: 'account-dropped', appId, accountId, reason: 'moved' });
    }
    await revocations.drain();
  }

  /** Retries on the next use if the vault cannot be opened or the client is closing. */
  async function inBackground(): Promise<void> {
    try {
      await settle();
    } catch (error) {
      isUsed = false;
      if (!(error instanceof RuntimeError) && !closing.signal.aborted) onFault(error);
    }
  }

  /** @param track registers the work, so that closing the client waits for it */
  function followEvents(track: (work: Promise<void>) => void): () => void {
    return events.subscribe((event) => {
      if (event.type === 'app-removed' || event.type === 'app-yanked') signIns.cancel(event.appId);
      const mayOrphan = ['app-removed', 'app-updated', 'app-installed'].includes(event.type);
      // The vault is not opened only for this: that might prompt the user for its key.
      if (mayOrphan && isUsed) track(inBackground());
    });
  }

  return { settle, inBackground, follow: followEvents, isUsed: () => isUsed };
}
