import type { IdentityStore, PasskeyStore } from './credential-store.ts';
import type { DeviceStore } from './device-store.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { MemberStore } from './member-store.ts';
import type { Person } from './person-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TokenStore } from './token-store.ts';

/** Everything with which an account can be used, or used again, besides its password. */
export type AccessStores = {
  sessions: SessionStore;
  tokens: TokenStore;
  passkeys: PasskeyStore;
  identities: IdentityStore;
  invitations: InvitationStore;
  devices: DeviceStore;
  members: Pick<MemberStore, 'removeAddedBy'>;
};

/** What was ended, as numbers for the audit log. */
export type EndedAccess = {
  sessionsEnded: number;
  tokensRevoked: number;
  workflowsRemoved: number;
  webhooksRemoved: number;
  passkeysRemoved: number;
  identitiesRemoved: number;
  invitationsRevoked: number;
  devicesEnded: number;
  membersRemoved: number;
};

/**
 * Ends every access to an account but its password: sessions; tokens that the user owns or created, also those of publishers; CI workflows that the user trusted, and webhooks; passkeys;
 * linked identities; invitations that the user sent; device sign-ins that the user approved; and, if the address was never proved, the
 * members that the account added to publishers. An attacker may have created any of them
 * before the owner of the email address recovered the account. Run it in the transaction of the recovery: of a request that is under
 * way, either its transaction comes first, or it finds nothing.
 * @param ofExtensions ends what extensions of the store gave
 */
export const endAccess = async (
  stores: AccessStores,
  { id, emailVerified }: Pick<Person, 'id' | 'emailVerified'>,
  at: string,
  ofExtensions: (id: string) => Promise<Partial<EndedAccess>>,
): Promise<EndedAccess> => ({
  sessionsEnded: await stores.sessions.endAll(id),
  tokensRevoked: await stores.tokens.revokeMadeBy(id, at),
  workflowsRemoved: 0,
  webhooksRemoved: 0,
  passkeysRemoved: await stores.passkeys.removeAll(id),
  identitiesRemoved: await stores.identities.removeAll(id),
  invitationsRevoked: await stores.invitations.removeAllBy(id),
  devicesEnded: await stores.devices.removeAllOf(id),
  membersRemoved: emailVerified ? 0 : await stores.members.removeAddedBy(id),
  ...(await ofExtensions(id)),
});
