import { quote, Refusal } from '../refusal.ts';
import type { CentralHeader } from './central-header.ts';

/**
 * Characters that end a name for some readers. What one system merely cannot store (`a:b`, `aux.js`) is no matter of
 * reading: the validator's `bundle.path` reports it.
 */
const CONTROL = /\p{Cc}/u;

const ASCII = /^\p{ASCII}*$/u;

/** What every system can store: macOS takes 1,024 bytes with the final zero. */
const MAX_NAME = 1_023;
/** No honest bundle comes near; it bounds the work that hostile names cause. */
const DEEPEST_NAME = 64;

/** Refuses names that could leave the bundle, or that are not the same file on every system. */
export function checkNames(headers: readonly CentralHeader[]): Refusal | undefined {
  for (const { name, rawName } of headers) {
    if (rawName.length > MAX_NAME) return new Refusal(name, `A name is over ${MAX_NAME} bytes: shorten it.`);
    const why = nameFault(name);
    if (why) return new Refusal(name, `${why} Rename ${quote(name)}.`);
  }
  return checkDistinct(headers);
}

function nameFault(name: string): string | undefined {
  if (name === '' || name === '/') return 'An entry has no name.';
  if (name.includes('\\')) return 'A backslash in a name is a folder to some readers and a letter to others.';
  if (name.startsWith('/')) return 'A name must be relative, without a slash in front.';
  if (/^[A-Za-z]:/.test(name)) return 'A name must be relative, without a drive letter.';
  if (CONTROL.test(name)) return 'A name must have no control characters.';
  // Readers that decode with a TextDecoder drop the mark, others keep it.
  if (name.startsWith('\ufeff')) return 'A name must not begin with a byte order mark.';
  // libarchive composes what it reads, others take it as it stands: two names for one file.
  if (name !== name.normalize('NFC')) return 'A name must be in Unicode normal form C.';
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.length > DEEPEST_NAME) return `A name must have at most ${DEEPEST_NAME} parts.`;
  return segments.map(segmentFault).find((why) => why !== undefined);
}

function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'A name must not have two slashes in a row.';
  if (segment === '.' || segment === '..') return 'A name must not have . or .. as a part.';
  // Windows drops them, so that ".. " is ".." again and "a." is "a".
  if (/[. ]$/.test(segment)) return 'A part of a name must not end with a dot or a space.';
  // A version number of VMS, which Info-ZIP's unzip takes off: "a;1" becomes "a".
  if (/;\d*$/.test(segment)) return 'A part of a name must not end with a semicolon, or one before digits.';
  return undefined;
}

/** One path of the bundle: a file, or a folder that an entry names or implies. */
interface PathNode {
  id: number;
  spelling: string;
  isFile: boolean;
}

/**
 * All paths, by the id of the folder around them and their own folded name. One flat map: a tree of maps would let
 * hostile names cost twenty times their own bytes.
 */
type PathTree = Map<string, PathNode>;

const ROOT_ID = 0;

/** Each path may have one spelling and be one thing only: a file, or a folder. */
function checkDistinct(headers: readonly CentralHeader[]): Refusal | undefined {
  const written = new Set<string>();
  const tree: PathTree = new Map();
  for (const { name, isFolder } of headers) {
    if (written.has(name)) return new Refusal(name, `Two entries have the name ${quote(name)}: keep one.`);
    written.add(name);
    const clash = claimPath(tree, name.replace(/\/$/, '').split('/'), !isFolder);
    if (clash !== undefined) {
      const other = quote(clash);
      const why = `It clashes with ${other} of another entry: some systems take both for one path. Rename one.`;
      return new Refusal(name, why);
    }
  }
  return undefined;
}

/** Enters a path into the tree; returns the part already there that it clashes with. */
function claimPath(tree: PathTree, segments: readonly string[], isFile: boolean): string | undefined {
  let folder = ROOT_ID;
  for (const [depth, segment] of segments.entries()) {
    const endsInFile = isFile && depth === segments.length - 1;
    const key = `${folder}/${foldName(segment)}`;
    const known = tree.get(key);
    if (known && (known.spelling !== segment || known.isFile || endsInFile)) return known.spelling;
    const node = known ?? { id: tree.size + 1, spelling: segment, isFile: endsInFile };
    if (!known) tree.set(key, node);
    folder = node.id;
  }
  return undefined;
}

/**
 * The same for all spellings that a system may take for one name. Lower, upper, lower folds also what has no single
 * counterpart (ß, ẞ and ss; K and the Kelvin sign); normalising on both sides keeps it stable.
 */
export function foldName(name: string): string {
  // What the long way gives for them, and most names are.
  if (ASCII.test(name)) return name.toLowerCase();
  return name.normalize('NFD').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
