import { type BundleEntries, readBundle } from '@svc/bundle';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { diffLines, linesOf, type Row, textRows } from './text-rows.ts';

export type FileSide = { readonly size: number; readonly sha256: string };

/** A file of the bundle under review, of the published one, or of both. */
export type FileEntry = {
  readonly path: string;
  readonly state: 'same' | 'changed' | 'added' | 'removed';
  readonly isText: boolean;
  readonly next: FileSide | null;
  readonly base: FileSide | null;
};

/** The files of both bundles, and the SHA-256 of the one under review. */
export type Listing = { readonly files: readonly FileEntry[]; readonly sha256: string };

/** The rows of a file; `cut` when there are more than are shown. */
export type View = { readonly rows: readonly Row[]; readonly cut: boolean };

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256Of = async (bytes: Uint8Array): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));

/** Files that clients read as text whatever they contain: one binary byte must not hide a script from a reviewer. */
const READ_AS_TEXT = /\.(?:[cm]?[jt]sx?|html?|xhtml|css|json|map|md|txt|svg|xml|csv|ya?ml|toml)$/i;

/** The text of a file, or null for a binary file. */
export function textOf(path: string, bytes: Uint8Array): string | null {
  const isAlwaysText = READ_AS_TEXT.test(path);
  if (bytes.includes(0) && !isAlwaysText) return null;
  try {
    return new TextDecoder('utf-8', { fatal: !isAlwaysText, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function entriesOf(bytes: Uint8Array): BundleEntries {
  const reading = readBundle(bytes);
  if (reading.ok) return reading.entries;
  throw new Error(reading.issues[0]?.message ?? 'The bundle cannot be read.');
}

const sideOf = async (bytes: Uint8Array | undefined): Promise<FileSide | null> =>
  bytes ? { size: bytes.length, sha256: await sha256Of(bytes) } : null;

function stateOf(base: FileSide | null, next: FileSide | null): FileEntry['state'] {
  if (!base) return 'added';
  if (!next) return 'removed';
  return base.sha256 === next.sha256 ? 'same' : 'changed';
}

const NONE: BundleEntries = new Map();

/** A manifest with one value a line, so that a change in a minified one can be seen. The store refuses JSON that is ambiguous. */
function formatted(path: string, text: string): string {
  if (path !== MANIFEST_FILE) return text;
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return text;
  }
}

/** Two bundles, opened side by side. Nothing in them is run. */
export class OpenedBundles {
  readonly #zip: Uint8Array;
  readonly #next: BundleEntries;
  readonly #base: BundleEntries;
  readonly #hasBase: boolean;

  /**
   * @param base the published bundle to compare with; null when there is none
   * @throws Error when one of them is not a valid bundle
   */
  constructor(next: Uint8Array, base: Uint8Array | null) {
    this.#zip = next;
    this.#next = entriesOf(next);
    this.#base = base ? entriesOf(base) : NONE;
    this.#hasBase = base !== null;
  }

  /** Lists the files of both bundles by path. */
  async list(): Promise<Listing> {
    const paths = [...new Set([...this.#next.keys(), ...this.#base.keys()])].sort();
    const files: FileEntry[] = [];
    for (const path of paths) {
      const [newer, older] = [this.#next.get(path), this.#base.get(path)];
      const [next, base] = [await sideOf(newer), await sideOf(older)];
      // Without a base, marking every file as added would say nothing.
      const state = this.#hasBase ? stateOf(base, next) : 'same';
      const bytes = newer ?? older;
      files.push({ path, state, isText: bytes !== undefined && textOf(path, bytes) !== null, next, base });
    }
    return { files, sha256: await sha256Of(this.#zip) };
  }

  /**
   * The rows of a text file.
   * @param whole whether to include unchanged lines far from any change
   */
  view(path: string, whole: boolean): View {
    const lines = (entries: BundleEntries) => {
      const bytes = entries.get(path);
      return bytes ? linesOf(formatted(path, textOf(path, bytes) ?? '')) : [];
    };
    const after = lines(this.#next);
    return textRows(diffLines(this.#hasBase ? lines(this.#base) : after, after), whole);
  }
}
