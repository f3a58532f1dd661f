import type { Issue } from '@svc/contracts';
import { parseManifest } from '@svc/validator';

/** Lines of a text around one place in it. */
export type Frame = {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** The place: its line, the column counted from 0, and its length within that line. */
  readonly line: number;
  readonly start: number;
  readonly length: number;
};

/** Lines shown before and behind the place. */
const AROUND = 2;
/** Longest piece of a line that is shown, in UTF-16 code units. */
const MAX_LINE = 400;
/** Frames made at most. Each reads the manifest again, and nobody reads that many. */
const MAX_FRAMES = 100;

/** The frames for the findings that are about the manifest, by their path; none for a manifest that is no JSON. */
export function framesOf(bytes: Uint8Array | undefined, issues: readonly Issue[]): Map<string, Frame> {
  const frames = new Map<string, Frame>();
  const reading = bytes && parseManifest(bytes);
  if (!reading?.ok) return frames;
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  const top = reading.locate('');
  for (const { path } of issues) {
    if (frames.size >= MAX_FRAMES) break;
    if (!path.startsWith('/') || frames.has(path)) continue;
    const place = reading.locate(path);
    // A field that is missing at the top has no place: the first bracket of the file tells nobody anything.
    const isThere = place?.line !== top?.line || place?.column !== top?.column;
    if (place && isThere) frames.set(path, frameAt(lines, place.line, place.column - 1, place.length ?? 1));
  }
  return frames;
}

function frameAt(lines: readonly string[], line: number, column: number, length: number): Frame {
  const from = Math.max(0, line - 1 - AROUND);
  const whole = lines[line - 1] ?? '';
  // A manifest on one long line is shown from a little before the place.
  const shift = whole.length > MAX_LINE ? Math.max(0, column - MAX_LINE / 4) : 0;
  const cut = (text: string, at: number) => text.slice(at, at + MAX_LINE);
  const shown = lines.slice(from, line + AROUND).map((text, i) => {
    const number = from + i + 1;
    return { number, text: cut(text, number === line ? shift : 0) };
  });
  const start = column - shift;
  const room = cut(whole, shift).length - start;
  return { lines: shown, line, start, length: Math.max(1, Math.min(length, room)) };
}
