/** What a mail is about. There is no secret in it: text and links are made when it is sent. */
export type MailContent =
  | { kind: 'invitation'; detail: { invitation: string } }
  | { kind: 'version-approved'; detail: { publisher: string; appId: string; version: string } }
  | { kind: 'version-rejected'; detail: { publisher: string; appId: string; version: string; note: string } }
  | { kind: 'verification-lost'; detail: { publisher: string; website: string } }
  | { kind: 'name-approved'; detail: { publisher: string; name: string } }
  | { kind: 'name-refused'; detail: { publisher: string; name: string; note: string } }
  | { kind: 'publisher-suspended'; detail: { publisher: string } }
  | { kind: 'password-reset'; detail: { personId: string } }
  | { kind: 'confirm-email'; detail: { personId: string } };

/** A mail on its way. */
export type OutgoingMail = MailContent & {
  id: string;
  recipient: string;
  createdAt: string;
  nextTryAt: string;
  /** How often sending it was begun. */
  tries: number;
};

/** What the store needs to remember of mail: what has not been sent yet. */
export interface MailStore {
  add(mail: OutgoingMail): Promise<void>;
  /** Mails whose time has come, the longest waiting first. */
  due(now: string, limit: number): Promise<OutgoingMail[]>;
  /**
   * Takes a mail upon oneself and counts a try; false when somebody else has.
   * @param until when others may try again, unless it is gone by then
   */
  claim(mail: Pick<OutgoingMail, 'id' | 'tries'>, until: string): Promise<boolean>;
  /** Puts off a mail that is one's own until a time. */
  putOff(id: string, until: string): Promise<void>;
  remove(id: string): Promise<void>;
}
