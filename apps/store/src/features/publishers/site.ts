/** The texts of a TXT record, or the reason why there are none. */
export type TxtAnswer = { texts: readonly string[] } | { fault: string };

/** The text of a file, or the reason why there is none. */
export type FileAnswer = { text: string } | { fault: string };

/** Reads the websites of publishers. Their content is not trusted. */
export interface Sites {
  /** The TXT records of a name. Never fails. */
  txt(name: string): Promise<TxtAnswer>;
  /** A small file of a host, over https on its default port. Never fails. */
  file(host: string, path: string): Promise<FileAnswer>;
}
