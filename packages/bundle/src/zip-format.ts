/**
 * The record layouts for the reader and the packer. Section numbers in this package are those of PKWARE's
 * APPNOTE.TXT 6.3.10.
 */
export const SIGNATURE = {
  /** 4.3.7 */
  local: 0x04034b50,
  /** 4.3.9.3 */
  descriptor: 0x08074b50,
  /** 4.3.12 */
  central: 0x02014b50,
  /** 4.3.15 */
  zip64Locator: 0x07064b50,
  /** 4.3.16 */
  end: 0x06054b50,
} as const;

/** Sizes in bytes of the fixed part of each record. */
export const FIXED_SIZE = { local: 30, central: 46, zip64Locator: 20, end: 22 } as const;

/** 4.4.5: the two methods that every reader supports. */
export const METHOD = { stored: 0, deflated: 8 } as const;

/** 4.4.4: the general purpose bits that writers of stored and deflated entries set. */
export const FLAG = { deflateLevel: 0x0006, descriptor: 0x0008, utf8: 0x0800 } as const;

/** 4.4.1.4: the values that mean "look in the zip64 field instead". */
export const ZIP64_MARK = { u16: 0xffff, u32: 0xffffffff } as const;

/** The type bits of a Unix mode, in the upper half of the external attributes (4.4.15). */
export const UNIX_TYPE = { mask: 0o170000, file: 0o100000, folder: 0o040000 } as const;

/** A DataView over exactly these bytes, at any offset in their buffer. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The unsigned number of two bytes at an offset; a zip has its numbers in little-endian order (4.4.1.1). */
export const u16 = (view: DataView, at: number): number => view.getUint16(at, true);

/** The unsigned number of four bytes at an offset. */
export const u32 = (view: DataView, at: number): number => view.getUint32(at, true);
