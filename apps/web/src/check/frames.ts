import type { Issue } from '@svc/contracts';
import { parseManifest } from '@svc/validator';

/** An excerpt of a text around one location. */
export type Frame = {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** The location: line number from 1, column from 0, and length within that line. */
  readonly line: number;
  readonly start: number;
  readonly length: number;
};

/** Lines shown before and after the location. */
const AROUND = 2;
/** Maximum length of a shown line, in UTF-16 code units. */
const MAX_LINE = 400;
/** Maximum number of frames: each costs another pass over the manifest. */
const MAX_FRAMES = 100;

/** The frames of the findings in the manifest, keyed by path; none for a manifest that is not JSON. */
export function framesOf(bytes: Uint8Array | undefined, issues: readonly Issue[]): Map<string, Frame> {
  const frames = new Map<string, Frame>();
  const reading = bytes && parseManifest(bytes);
  if (!reading?.ok) return frames;
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  const top = reading.locate('');
  for (const { path } of issues) {
    if (frames.size >= MAX_FRAMES) break;
    if (!path.startsWith('/') || frames.has(path)) continue;
    const location = reading.locate(path);
    // A field that is missing at the top level would be located at the first bracket of the file: show no frame.
    const isLocated = location?.line !== top?.line || location?.column !== top?.column;
    if (location && isLocated)
      frames.set(path, frameAt(lines, location.line, location.column - 1, location.length ?? 1));
  }
  return frames;
}

function frameAt(lines: readonly string[], line: number, column: number, length: number): Frame {
  const from = Math.max(0, line - 1 - AROUND);
  const whole = lines[line - 1] ?? '';
  // A long line, as of a minified manifest, is cut to start shortly before the location.
  const shift = whole.length > MAX_LINE ? Math.max(0, column - MAX_LINE / 4) : 0;
  const cut = (text: string, at: number) => text.slice(at, at + MAX_LINE);
  const shown = lines.slice(from, line + AROUND).map((text, i) => {
    const number = from + i + 1;
    return { number, text: cut(text, number === line ? shift : 0) };
  });
  const start = column - shift;
  const remaining = cut(whole, shift).length - start;
  return { lines: shown, line, start, length: Math.max(1, Math.min(length, remaining)) };
}
