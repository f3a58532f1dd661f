/** A passkey: the public half of a key that only somebody's device can use. */
export type PasskeyRecord = {
  /** Id of the credential, base64url; the device chose it. */
  id: string;
  personId: string;
  label: string;
  /** COSE key, base64url. */
  publicKey: string;
  /** How often it was used, as the device counts; 0 for ever when it does not count. */
  counter: number;
  /** How a browser reaches it, as hints. */
  transports: string[];
  createdAt: string;
  lastUsedAt: string | null;
};

/** What the store needs to remember of passkeys. */
export interface PasskeyStore {
  /** Keeps a new passkey; false when there is one with its id. */
  add(passkey: PasskeyRecord): Promise<boolean>;
  find(id: string): Promise<PasskeyRecord | null>;
  /** The passkeys of a person, the oldest first. */
  of(personId: string): Promise<PasskeyRecord[]>;
  /** Gives a passkey of a person another name; false when they have no such passkey. */
  rename(personId: string, id: string, label: string): Promise<boolean>;
  /** Forgets a passkey of a person; false when they have no such passkey. */
  remove(personId: string, id: string): Promise<boolean>;
  /** Notes that a passkey was used; false when the counter does not grow, unless the device does not count. */
  used(id: string, counter: number, at: string): Promise<boolean>;
}
