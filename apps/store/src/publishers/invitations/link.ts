import { type Mac, sameSecret } from '../../platform/secret.ts';

/** The links of invitations: an id, and a seal that only the store can make, so that the database holds no way in. */
export type InvitationLinks = {
  /** The address under which an invitation is accepted. */
  url(id: string): string;
  /** The id in the last part of such an address; null when the store did not make it. */
  idIn(link: string): string | null;
};

/** @param seal one for this purpose alone */
export const invitationLinks = (baseUrl: string, seal: Mac): InvitationLinks => ({
  url: (id) => `${baseUrl}/invitations/${id}.${seal(id)}`,
  idIn(link) {
    const dot = link.lastIndexOf('.');
    const id = link.slice(0, Math.max(dot, 0));
    return sameSecret(link.slice(dot + 1), seal(id)) ? id : null;
  },
});
