/** The central header of an entry (APPNOTE 4.3.12). */
export interface CentralHeader {
  name: string;
  /** The encoded name, to compare with other copies of it. */
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
  /** Offset of the local header. */
  offset: number;
}
