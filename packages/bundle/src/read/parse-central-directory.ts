import { quote, Refusal } from '../refusal.ts';
import { FIXED_SIZE, FLAG, SIGNATURE, viewOf } from '../zip-format.ts';
import type { CentralHeader } from './central-header.ts';
import { checkEntry } from './check-entry.ts';
import type { DirectoryPlace } from './parse-end-record.ts';

/** Parses exactly the declared number of headers from exactly the declared bytes. */
export function parseCentralDirectory(bytes: Uint8Array, place: DirectoryPlace): CentralHeader[] | Refusal {
  const view = viewOf(bytes);
  const headers: CentralHeader[] = [];
  let at = place.offset;
  while (headers.length < place.count) {
    const end = headerEnd(view, at, place.end);
    if (end === undefined) {
      return new Refusal('', `Entry ${headers.length + 1} of the list of entries is damaged: pack again.`);
    }
    const header = parseHeader(bytes, view, at);
    if (header instanceof Refusal) return header;
    const fault = checkEntry(header);
    if (fault) return fault;
    headers.push(header);
    at = end;
  }
  if (at !== place.end) {
    return new Refusal('', 'The list of entries has more entries than the end record declares: pack again.');
  }
  return headers;
}

/** End of the header that begins here, or undefined when it is incomplete. */
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

/** Java decodes the comments of all entries, and refuses the whole zip if one fails. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Appendix D: without bit 11 the name is in a code page on which readers differ; only ASCII is the same in all of them. */
function decodeName(raw: Uint8Array, isMarked: boolean): string | Refusal {
  // By default, a TextDecoder drops a leading byte order mark, and two names would become one.
  const options = { ignoreBOM: true };
  const shown = new TextDecoder('utf-8', options).decode(raw);
  if (!isMarked && raw.some((byte) => byte > 0x7f)) {
    return new Refusal(shown, `The name ${quote(shown)} is not marked as UTF-8: pack with another tool.`);
  }
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(raw);
  } catch {
    return new Refusal(shown, `The name ${quote(shown)} is not valid UTF-8: rename the file.`);
  }
}
