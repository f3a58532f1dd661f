/** A mail as it is sent. */
export type Letter = { id: string; to: string; subject: string; text: string };

/** What brings mails to where they go. */
export interface Carrier {
  /**
   * Hands a mail over.
   * @returns false when no later try can succeed
   * @throws when it may be taken later; nothing in the error is a secret
   */
  carry(letter: Letter): Promise<boolean>;
}
