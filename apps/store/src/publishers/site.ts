/** The texts of a TXT record, or a sentence that says why there are none. */
export type TxtAnswer = { texts: readonly string[] } | { fault: string };

/** The text of a file, or a sentence that says why there is none. */
export type FileAnswer = { text: string } | { fault: string };

/** What the store asks of the websites of publishers. It is theirs: nothing about it, nor what it answers, is to be trusted. */
export interface Sites {
  /** The TXT records of a name. Never fails. */
  txt(name: string): Promise<TxtAnswer>;
  /** A small file of a host, over https on its default port. Never fails. */
  file(host: string, path: string): Promise<FileAnswer>;
}
