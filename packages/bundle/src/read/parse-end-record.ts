import { LIMITS } from '@svc/contracts/vocabulary';
import { Refusal } from '../refusal.ts';
import { FIXED_SIZE, SIGNATURE, viewOf, ZIP64_MARK } from '../zip-format.ts';

/** Location of the central directory, and its number of entries. */
export interface DirectoryPlace {
  offset: number;
  end: number;
  count: number;
}

/** Parses the end of central directory record (APPNOTE 4.3.16), which must be the last 22 bytes. */
export function parseEndRecord(bytes: Uint8Array): DirectoryPlace | Refusal {
  const at = bytes.length - FIXED_SIZE.end;
  if (at < 0) return notAZip();
  const view = viewOf(bytes);
  // Readers search for this record in different ways; at the very end, all of them find it first.
  if (view.getUint32(at, true) !== SIGNATURE.end) return misplacedEnd(view);
  if (view.getUint16(at + 20, true) !== 0) {
    return new Refusal('', 'The zip is cut off inside its comment: upload it again without a comment.');
  }
  return checkNoZip64(view, at) ?? checkPlace(view, at);
}

function notAZip(): Refusal {
  return new Refusal(
    '',
    'This is not a complete zip, because its end record is missing: pack the folder again.',
  );
}

/** Distinguishes bytes after the end record from a missing end record, for a better message. */
function misplacedEnd(view: DataView): Refusal {
  const lowest = Math.max(0, view.byteLength - FIXED_SIZE.end - ZIP64_MARK.u16);
  for (let at = view.byteLength - FIXED_SIZE.end; at >= lowest; at--) {
    if (view.getUint32(at, true) === SIGNATURE.end) {
      return new Refusal('', 'The zip has bytes after its end: remove its comment and appended data.');
    }
  }
  return notAZip();
}

/** Some readers use a zip64 locator whenever it precedes the end record (4.3.15), others only if the record refers to it. */
function checkNoZip64(view: DataView, at: number): Refusal | undefined {
  const locatorAt = at - FIXED_SIZE.zip64Locator;
  const located = locatorAt >= 0 && view.getUint32(locatorAt, true) === SIGNATURE.zip64Locator;
  const u16Marks = [4, 6, 8, 10].some((field) => view.getUint16(at + field, true) === ZIP64_MARK.u16);
  const u32Marks = [12, 16].some((field) => view.getUint32(at + field, true) === ZIP64_MARK.u32);
  if (!located && !u16Marks && !u32Marks) return undefined;
  return new Refusal('', 'The zip uses zip64: pack without zip64, which a bundle never needs.');
}

function checkPlace(view: DataView, at: number): DirectoryPlace | Refusal {
  const [disk, directoryDisk] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
  const [countHere, count] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
  const [size, offset] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
  // 4.4.19 to 4.4.22
  if (disk !== 0 || directoryDisk !== 0 || countHere !== count) {
    return new Refusal('', 'The zip is one part of a split archive: write it as a single file.');
  }
  if (count === 0) return new Refusal('', 'The zip is empty: it must contain at least plugin.json.');
  if (count > LIMITS.bundle.entries) {
    return new Refusal('', `The zip has ${count} entries: reduce them to ${LIMITS.bundle.entries} or fewer.`);
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
