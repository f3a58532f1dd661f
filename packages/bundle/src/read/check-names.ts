import { quote, Refusal } from '../refusal.ts';
import type { CentralHeader } from './parse-central-directory.ts';

/**
 * Characters that end a name for some readers. The rule `bundle.path` of the validator reports names that are only
 * invalid on some systems (`a:b`, `aux.js`).
 */
const CONTROL = /\p{Cc}/u;

/** Limit of all systems: macOS allows 1,024 bytes including the final zero. */
const MAX_NAME = 1_023;
/** Far above real bundles; bounds the work for malicious names. */
const DEEPEST_NAME = 64;

/** Refuses names that could escape the bundle, or are not the same file on every system. */
export function checkNames(headers: readonly CentralHeader[]): Refusal | undefined {
  for (const { name, rawName } of headers) {
    if (rawName.length > MAX_NAME)
      return new Refusal(name, `A name is longer than ${MAX_NAME} bytes: shorten it.`);
    const why = nameFault(name);
    // A name that a tool wrote is not that of the file.
    if (why) return new Refusal(name, why.includes(': pack') ? why : `${why} Rename ${quote(name)}.`);
  }
  return checkDistinct(headers);
}

function nameFault(name: string): string | undefined {
  if (name === '' || name === '/') return 'An entry has no name.';
  if (name.includes('\\'))
    return 'A name must not contain a backslash, which older versions of PowerShell write: pack with "svc pack" or "tar -a -cf".';
  if (name.startsWith('./'))
    return 'A name must not begin with "./": pack the files by their names (*), not the folder (.).';
  if (name.startsWith('/')) return 'A name must be relative, without a slash in front.';
  if (/^[A-Za-z]:/.test(name)) return 'A name must be relative, without a drive letter.';
  if (CONTROL.test(name)) return 'A name must not contain control characters.';
  // Readers that decode with a TextDecoder drop the mark, others keep it.
  if (name.startsWith('\ufeff')) return 'A name must not begin with a byte order mark.';
  // libarchive normalises names, others do not: one file would have two names.
  if (name !== name.normalize('NFC')) return 'A name must be in Unicode normal form C.';
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.length > DEEPEST_NAME) return `A name must have at most ${DEEPEST_NAME} parts.`;
  return segments.map(segmentFault).find((why) => why !== undefined);
}

function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'A name must not contain two slashes in a row.';
  if (segment === '.' || segment === '..') return 'A name must not contain the part . or ..';
  // Windows drops them, so that ".. " is ".." again and "a." is "a".
  if (/[. ]$/.test(segment)) return 'A part of a name must not end with a dot or a space.';
  // A version number of VMS, which Info-ZIP's unzip removes: "a;1" becomes "a".
  if (/;\d*$/.test(segment))
    return 'A part of a name must not end with a semicolon, or with a semicolon and digits.';
  return undefined;
}

/** A path of the bundle: a file, or an explicit or implied folder. */
interface PathNode {
  id: number;
  spelling: string;
  isFile: boolean;
}

/**
 * All paths, by the id of their folder and their own folded name. One flat map: with a tree of maps, malicious names
 * could need twenty times their size.
 */
type PathTree = Map<string, PathNode>;

const ROOT_ID = 0;

/** Each path must have one spelling and be either a file or a folder. */
function checkDistinct(headers: readonly CentralHeader[]): Refusal | undefined {
  const written = new Set<string>();
  const tree: PathTree = new Map();
  for (const { name, isFolder } of headers) {
    if (written.has(name)) return new Refusal(name, `Two entries have the name ${quote(name)}: keep one.`);
    written.add(name);
    const clash = claimPath(tree, name.replace(/\/$/, '').split('/'), !isFolder);
    if (clash !== undefined) {
      const other = quote(clash);
      const why = `It clashes with ${other} of another entry: on some systems both are the same path. Rename one.`;
      return new Refusal(name, why);
    }
  }
  return undefined;
}

/** Adds a path to the tree; returns the existing part that it clashes with, or undefined. */
function claimPath(tree: PathTree, segments: readonly string[], isFile: boolean): string | undefined {
  let folder = ROOT_ID;
  for (const [depth, segment] of segments.entries()) {
    const endsInFile = isFile && depth === segments.length - 1;
    const key = `${folder}/${foldName(segment)}`;
    const known = tree.get(key);
    if (known && (known.spelling !== segment || known.isFile || endsInFile)) return known.spelling;
    const node = known ?? { id: tree.size + 1, spelling: segment, isFile: endsInFile };
    tree.set(key, node);
    folder = node.id;
  }
  return undefined;
}

/**
 * Folds a name, so that all spellings that a system may treat as the same name are equal. Lower, upper, lower also folds
 * characters without a single counterpart (ß, ẞ and ss; K and the Kelvin sign); normalising on both sides keeps it stable.
 */
export function foldName(name: string): string {
  return name.normalize('NFD').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
