/** The texts of a TXT record, or the reason why there are none. */
export type TxtAnswer = { texts: readonly string[] } | { fault: string };

/** The text of a file, or the reason why there is none. */
export type FileAnswer = { text: string } | { fault: string };

/** The status of an answer, or the reason why there is none. */
export type PostAnswer = { status: number } | { fault: string };

/** Another limit than the 4 KiB of a proof; and whether the operator named the host, which may then be on the local network. */
export type FileOptions = { maxBytes?: number; isLocal?: boolean };

/** Reads the websites of publishers. Their content is not trusted. */
export interface Sites {
  /** The TXT records of a name. Never fails. */
  txt(name: string): Promise<TxtAnswer>;
  /**
   * A small file of a host, over https. Never fails.
   * @param host a name, and a port where it is not the default one
   */
  file(host: string, path: string, options?: FileOptions): Promise<FileAnswer>;
  /** Posts a text to an https address with its default port, and reads only the status of the answer. Never fails. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostAnswer>;
  /** Whether a host has a private address that this store may not reach. False where it has no address. Never fails. */
  isPrivate(host: string): Promise<boolean>;
}
