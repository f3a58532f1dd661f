import { z } from 'zod';
import type { InstalledApp } from '../library/installed-app.ts';
import type { System } from '../platform/system.ts';
import type { Draft, EntryName, Vault } from '../vault/vault.ts';
import { bindingOf } from './account-of.ts';
import { Grant } from './grant.ts';
import { registrationIn } from './oauth-client.ts';
import { addRevocation } from './revocations.ts';

/** The authorization server that the user agreed to for an account whose server is found by asking. */
const AgreedServer = z.object({ binding: z.string(), issuer: z.string() });
type AgreedServer = z.infer<typeof AgreedServer>;

/** A grant that left its account, and the revocation that is to be sent for it, if its server offers one. */
export type Ended = { grant: Grant; revocation: EntryName | null };

/** What was granted, by app and account, in the vault. Each change is one durable write. */
export type Grants = {
  find(appId: string, accountId: string): Promise<Grant | null>;
  /**
   * Puts a grant in place of any other.
   * @returns false when the app is gone meanwhile, or has no such account any more: the grant is revoked then
   */
  keep(appId: string, accountId: string, grant: Grant): Promise<boolean>;
  /**
   * Puts renewed tokens in place of the grant they were made from. When that has ended meanwhile, they are revoked.
   * @returns what is there afterwards
   */
  replace(appId: string, accountId: string, old: Grant, next: Grant): Promise<Grant | null>;
  /**
   * Removes a grant that its server refuses, unless something else is there by now.
   * @param isClientGone whether the server does not know us any more either
   * @returns what is there afterwards
   */
  drop(appId: string, accountId: string, old: Grant, isClientGone: boolean): Promise<Grant | null>;
  /** Ends whatever there is. @returns what it was */
  end(appId: string, accountId: string): Promise<Ended | null>;
  /** Ends all grants whose account is no longer there: its app was removed, or an update dropped the account or moved its servers. */
  endOrphans(): Promise<{ appId: string; accountId: string }[]>;
  /** The issuer that the user agreed to for an account; null when there is none. */
  agreedServer(app: InstalledApp, accountId: string): Promise<string | null>;
};

export type GrantDeps = {
  vault: Vault;
  system: Pick<System, 'now' | 'randomBytes'>;
  /** What is installed now, by any process. Left out, accounts count as there until they are disconnected. */
  installed?: ((appId: string) => InstalledApp | null) | undefined;
  /** Called when tokens that no account needs wait to be revoked. */
  revoking(): void;
};

/** How long a registration may be without an account: a sign-in takes less. */
const UNUSED_MS = 15 * 60_000;

const grantName = (appId: string, accountId: string): EntryName => ['account', appId, accountId];
const serverName = (appId: string, accountId: string): EntryName => ['server', appId, accountId];

function parseAs<T>(schema: z.ZodType<T>, text: string | null): T | null {
  return text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null);
}

/** What an older or newer program wrote in another shape counts as nothing: the user connects again. */
const parse = (text: string | null): Grant | null => parseAs(Grant, text);

/** Whether it is one and the same grant: its tokens tell. */
const isSame = (a: Grant, b: Grant): boolean =>
  a.accessToken === b.accessToken && a.refreshToken === b.refreshToken;

function put(draft: Draft, appId: string, accountId: string, grant: Grant): void {
  const { binding, server } = grant;
  const agreed: AgreedServer | null = server.issuer === null ? null : { binding, issuer: server.issuer };
  draft.set(grantName(appId, accountId), JSON.stringify(grant));
  draft.set(serverName(appId, accountId), agreed && JSON.stringify(agreed));
}

function clear(draft: Draft, appId: string, accountId: string): void {
  draft.set(grantName(appId, accountId), null);
  draft.set(serverName(appId, accountId), null);
}

/** Removes registrations that no account needs: neither one that is connected, nor one that was and may be again. */
function pruneClients(draft: Draft, now: number): void {
  const grants = draft.names('account').map((name) => parse(draft.get(name)));
  const ids = new Set(grants.map((grant) => grant?.client.id));
  const issuers = new Set(
    draft.names('server').map((name) => parseAs(AgreedServer, draft.get(name))?.issuer),
  );
  for (const name of draft.names('client')) {
    const registration = registrationIn(draft.get(name));
    const isNeeded = registration && (ids.has(registration.client.id) || issuers.has(name[1]));
    if (!isNeeded && now - (registration?.madeAt ?? 0) > UNUSED_MS) draft.set(name, null);
  }
}

/** Removes what is kept of registrations under an id. */
function deleteRegistrations(draft: Draft, id: string): void {
  for (const name of draft.names('client')) {
    if (registrationIn(draft.get(name))?.client.id === id) draft.set(name, null);
  }
}

/** The same, unless another account has it too. */
function deleteUnusedRegistrations(draft: Draft, id: string): void {
  const isUsed = draft.names('account').some((name) => parse(draft.get(name))?.client.id === id);
  if (!isUsed) deleteRegistrations(draft, id);
}

/** A binding of an app that a developer has open: whether it is still there is known to that process alone. */
const isOfFolder = (binding: string): boolean => JSON.parse(binding)[0] === 'developer';

export function grantsIn({ vault, system, installed, revoking }: GrantDeps): Grants {
  /** Whether a binding is still that of an account of an app on this computer. */
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

  /** An edit that may leave tokens to be revoked. */
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
    find: async (appId, accountId) => parse(await vault.read(grantName(appId, accountId))),
    keep: (appId, accountId, grant) =>
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
    replace: (appId, accountId, old, next) =>
      revokingEdit((draft, revoke) => {
        const name = grantName(appId, accountId);
        const present = parse(draft.get(name));
        if (present && isSame(present, old)) {
          draft.set(name, JSON.stringify(next));
          return next;
        }
        // Where the user has signed in again at the same server, revoking the old grant could end the new one with it.
        if (present?.binding !== next.binding) revoke(appId, next);
        return present;
      }),
    drop: (appId, accountId, old, isClientGone) =>
      vault.edit((draft) => {
        const name = grantName(appId, accountId);
        const present = parse(draft.get(name));
        if (isClientGone) deleteRegistrations(draft, old.client.id);
        if (!present || !isSame(present, old)) return present;
        draft.set(name, null);
        return null;
      }),
    end: (appId, accountId) => vault.edit((draft) => endIn(draft, appId, accountId)),
    endOrphans: () =>
      vault.edit((draft) => {
        const ended = [];
        for (const [, appId, accountId] of draft.names('account')) {
          const binding = parse(draft.get(grantName(appId, accountId)))?.binding;
          if (isOwned(appId, accountId, binding)) continue;
          endIn(draft, appId, accountId);
          ended.push({ appId, accountId });
        }
        for (const name of draft.names('server')) {
          const binding = parseAs(AgreedServer, draft.get(name))?.binding ?? '[]';
          if (!isOwned(name[1], name[2], binding)) draft.set(name, null);
        }
        pruneClients(draft, system.now());
        return ended;
      }),
    async agreedServer(app, accountId) {
      const account = app.manifest.accounts?.find(({ id }) => id === accountId);
      const agreed = parseAs(AgreedServer, await vault.read(serverName(app.appId, accountId)));
      return account && agreed?.binding === bindingOf(app, account) ? agreed.issuer : null;
    },
  };
}
