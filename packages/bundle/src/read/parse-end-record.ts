import { Refusal } from '../refusal.ts';
import { FIXED_SIZE, SIGNATURE, u16, u32, viewOf, ZIP64_MARK } from '../zip-format.ts';

/** Location of the central directory, and its number of entries. */
export interface DirectoryPlace {
  offset: number;
  end: number;
  count: number;
}

/** Parses the end of central directory record (APPNOTE 4.3.16), which must be the last 22 bytes. */
export function parseEndRecord(bytes: Uint8Array, entries: number): DirectoryPlace | Refusal {
  const at = bytes.length - FIXED_SIZE.end;
  if (at < 0) return notAZip(bytes);
  const view = viewOf(bytes);
  // Readers search for this record in different ways; at the very end, all of them find it first.
  if (u32(view, at) !== SIGNATURE.end) return misplacedEnd(bytes, view);
  if (u16(view, at + 20) !== 0) {
    return new Refusal('', 'The zip is cut off inside its comment: upload it again without a comment.');
  }
  return checkNoZip64(view, at) ?? checkPlace(view, at, entries);
}

/** A wrong file, or a zip that was cut off: zips begin with `PK` (APPNOTE 4.3.7). */
function notAZip([first, second]: Uint8Array): Refusal {
  const isZip = first === 0x50 && second === 0x4b;
  return new Refusal(
    '',
    isZip
      ? 'This is not a complete zip, because its end record is missing: pack the folder again.'
      : 'This is not a zip: choose the .svc-app file of the app, or pack its folder.',
  );
}

const COMMENT =
  'The zip has a comment after its end, as "git archive" and GitHub write it: pack the files again without one, for example with "svc pack".';

/** Distinguishes a comment (4.3.12) and other bytes after the end record from a missing end record, for a better message. */
function misplacedEnd(bytes: Uint8Array, view: DataView): Refusal {
  const lowest = Math.max(0, view.byteLength - FIXED_SIZE.end - ZIP64_MARK.u16);
  for (let at = view.byteLength - FIXED_SIZE.end; at >= lowest; at--) {
    if (u32(view, at) !== SIGNATURE.end) continue;
    const isComment = at + FIXED_SIZE.end + u16(view, at + 20) === view.byteLength;
    return new Refusal(
      '',
      isComment ? COMMENT : 'The zip has bytes after its end: write it to a file again.',
    );
  }
  return notAZip(bytes);
}

/** Some readers use a zip64 locator whenever it precedes the end record (4.3.15), others only if the record refers to it. */
function checkNoZip64(view: DataView, at: number): Refusal | undefined {
  const locatorAt = at - FIXED_SIZE.zip64Locator;
  const located = locatorAt >= 0 && u32(view, locatorAt) === SIGNATURE.zip64Locator;
  const u16Marks = [4, 6, 8, 10].some((field) => u16(view, at + field) === ZIP64_MARK.u16);
  const u32Marks = [12, 16].some((field) => u32(view, at + field) === ZIP64_MARK.u32);
  if (!located && !u16Marks && !u32Marks) return undefined;
  return new Refusal('', 'The zip uses zip64: pack without zip64, which a bundle never needs.');
}

function checkPlace(view: DataView, at: number, entries: number): DirectoryPlace | Refusal {
  const [disk, directoryDisk] = [u16(view, at + 4), u16(view, at + 6)];
  const [countHere, count] = [u16(view, at + 8), u16(view, at + 10)];
  const [size, offset] = [u32(view, at + 12), u32(view, at + 16)];
  // 4.4.19 to 4.4.22
  if (disk !== 0 || directoryDisk !== 0 || countHere !== count) {
    return new Refusal('', 'The zip is one part of a split archive: write it as a single file.');
  }
  if (count === 0) return new Refusal('', 'The zip is empty: it must contain at least plugin.json.');
  if (count > entries) {
    return new Refusal('', `The zip has ${count} entries: reduce them to ${entries} or fewer.`);
  }
  // 4.4.23, 4.4.24. With a wrong offset, some readers use it and others shift every entry by the difference.
  if (offset + size !== at) {
    return new Refusal(
      '',
      'The list of entries is not where the end record says, because bytes were added or lost: pack again.',
    );
  }
  return { offset, end: at, count };
}
