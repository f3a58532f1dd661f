/** What the central directory says of one entry (APPNOTE 4.3.12). */
export interface CentralHeader {
  name: string;
  /** The name as written, for comparing with other copies of it. */
  rawName: Uint8Array;
  /** 4.4.17.1: a name that ends with a slash is a folder. */
  isFolder: boolean;
  versionNeeded: number;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  extra: Uint8Array;
  diskStart: number;
  externalAttributes: number;
  /** Where the local header starts. */
  offset: number;
}
