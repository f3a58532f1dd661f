import { LIMITS } from '@svc/contracts/vocabulary';
import { Refusal } from '../refusal.ts';
import { FIXED_SIZE, SIGNATURE, viewOf, ZIP64_MARK } from '../zip-format.ts';

/** Where the central directory lies, and how many entries it lists. */
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
    return new Refusal('', 'The zip is cut off inside its comment: upload it again, without a comment.');
  }
  return checkNoZip64(view, at) ?? checkPlace(view, at);
}

function notAZip(): Refusal {
  return new Refusal('', 'This is not a whole zip: its end record is missing. Pack the folder again.');
}

/** Tells bytes after the end record from the lack of one, so that the message helps. */
function misplacedEnd(view: DataView): Refusal {
  const lowest = Math.max(0, view.byteLength - FIXED_SIZE.end - ZIP64_MARK.u16);
  for (let at = view.byteLength - FIXED_SIZE.end; at >= lowest; at--) {
    if (view.getUint32(at, true) === SIGNATURE.end) {
      return new Refusal('', 'Bytes follow the end of the zip: remove its comment and anything appended.');
    }
  }
  return notAZip();
}

/** Some readers heed a zip64 locator whenever it stands before the end record (4.3.15), others only on a mark. */
function checkNoZip64(view: DataView, at: number): Refusal | undefined {
  const locatorAt = at - FIXED_SIZE.zip64Locator;
  const located = locatorAt >= 0 && view.getUint32(locatorAt, true) === SIGNATURE.zip64Locator;
  const u16Marks = [4, 6, 8, 10].some((field) => view.getUint16(at + field, true) === ZIP64_MARK.u16);
  const u32Marks = [12, 16].some((field) => view.getUint32(at + field, true) === ZIP64_MARK.u32);
  if (!located && !u16Marks && !u32Marks) return undefined;
  return new Refusal('', 'The zip uses zip64: write it without, a bundle never needs it.');
}

function checkPlace(view: DataView, at: number): DirectoryPlace | Refusal {
  const [disk, directoryDisk] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
  const [countHere, count] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
  const [size, offset] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
  // 4.4.19 to 4.4.22
  if (disk !== 0 || directoryDisk !== 0 || countHere !== count) {
    return new Refusal('', 'The zip is one part of a split archive: write it as a single file.');
  }
  if (count === 0) return new Refusal('', 'The zip is empty: it must hold at least plugin.json.');
  if (count > LIMITS.bundle.entries) {
    return new Refusal('', `The zip has ${count} entries, over the limit of ${LIMITS.bundle.entries}.`);
  }
  // 4.4.23, 4.4.24. Readers that meet a wrong offset either trust it or shift every entry by the difference.
  if (offset + size !== at) {
    return new Refusal(
      '',
      'The list of entries is not where the end record says: bytes were put in or lost.',
    );
  }
  return { offset, end: at, count };
}
