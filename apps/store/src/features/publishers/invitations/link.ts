import { type Mac, sameSecret } from '../../../platform/secret.ts';

/** @param mac a MAC for this purpose only */
export const invitationLinks = (baseUrl: string, mac: Mac) => ({
  /** The URL that accepts an invitation. */
  url: (id: string) => `${baseUrl}/invitations/${id}.${mac(id)}`,
  /** The id in the last part of such a URL; null when its MAC is wrong. */
  idIn(link: string) {
    const dot = link.lastIndexOf('.');
    const id = link.slice(0, Math.max(dot, 0));
    return sameSecret(link.slice(dot + 1), mac(id)) ? id : null;
  },
});

/** The links of invitations: an id and a MAC, so that a copy of the database is not enough to create one. */
export type InvitationLinks = ReturnType<typeof invitationLinks>;
