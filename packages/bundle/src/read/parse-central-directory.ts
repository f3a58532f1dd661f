import { quote, Refusal } from '../refusal.ts';
import { FIXED_SIZE, FLAG, SIGNATURE, viewOf } from '../zip-format.ts';
import type { CentralHeader } from './central-header.ts';
import { checkEntry } from './check-entry.ts';
import type { DirectoryPlace } from './parse-end-record.ts';

/** Parses exactly the promised number of headers out of exactly the promised bytes. */
export function parseCentralDirectory(bytes: Uint8Array, place: DirectoryPlace): CentralHeader[] | Refusal {
  const view = viewOf(bytes);
  const headers: CentralHeader[] = [];
  let at = place.offset;
  while (headers.length < place.count) {
    const end = headerEnd(view, at, place.end);
    if (end === undefined) {
      return new Refusal('', `Entry ${headers.length + 1} of the list of entries is broken: pack again.`);
    }
    const header = parseHeader(bytes, view, at);
    if (header instanceof Refusal) return header;
    const fault = checkEntry(header);
    if (fault) return fault;
    headers.push(header);
    at = end;
  }
  if (at !== place.end) {
    return new Refusal('', 'The list of entries holds more than the end record counts: pack again.');
  }
  return headers;
}

/** End of the header that starts here, or undefined when there is no whole one. */
function headerEnd(view: DataView, at: number, limit: number): number | undefined {
  if (at + FIXED_SIZE.central > limit || view.getUint32(at, true) !== SIGNATURE.central) return undefined;
  const variable = [28, 30, 32].reduce((sum, field) => sum + view.getUint16(at + field, true), 0);
  const end = at + FIXED_SIZE.central + variable;
  return end > limit ? undefined : end;
}

function parseHeader(bytes: Uint8Array, view: DataView, at: number): CentralHeader | Refusal {
  const nameAt = at + FIXED_SIZE.central;
  const extraAt = nameAt + view.getUint16(at + 28, true);
  const rawName = bytes.subarray(nameAt, extraAt);
  const flags = view.getUint16(at + 8, true);
  const name = decodeName(rawName, (flags & FLAG.utf8) !== 0);
  if (name instanceof Refusal) return name;
  const commentAt = extraAt + view.getUint16(at + 30, true);
  if (!isUtf8(bytes.subarray(commentAt, commentAt + view.getUint16(at + 32, true)))) {
    return new Refusal(name, 'The comment of the entry is not valid UTF-8: pack without comments.');
  }
  return {
    name,
    rawName,
    isFolder: name.endsWith('/'),
    versionNeeded: view.getUint16(at + 6, true),
    flags,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    compressedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    extra: bytes.subarray(extraAt, commentAt),
    diskStart: view.getUint16(at + 34, true),
    externalAttributes: view.getUint32(at + 38, true),
    offset: view.getUint32(at + 42, true),
  };
}

/** Java decodes the comment of every entry, and opens nothing of a zip where one fails. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Appendix D: without bit 11 the name is in some code page, and readers differ on which; ASCII is in all of them. */
function decodeName(raw: Uint8Array, isMarked: boolean): string | Refusal {
  // A TextDecoder drops a leading byte order mark unless told otherwise, and two names would become one.
  const options = { ignoreBOM: true };
  const shown = new TextDecoder('utf-8', options).decode(raw);
  if (!isMarked && raw.some((byte) => byte > 0x7f)) {
    return new Refusal(
      shown,
      `The name ${quote(shown)} is not marked as UTF-8: pack with a tool that does so.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(raw);
  } catch {
    return new Refusal(shown, `The name ${quote(shown)} is not valid UTF-8: rename the file.`);
  }
}
