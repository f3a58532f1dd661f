import { extensionOf } from './paths.ts';
import type { BundleFile } from './targets.ts';

/** Extensions of programs, libraries, installers and scripts. */
export const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  'node dylib so dll exe sh command app pkg dmg py rb jar'.split(' '),
);

/** First four bytes, big-endian, of native code: ELF, Mach-O in both orders, fat Mach-O (and Java class), its 64-bit form. */
const NATIVE_MAGIC: ReadonlyMap<number, string> = new Map([
  [0x7f454c46, 'an ELF program'],
  [0xfeedface, 'a Mach-O program'],
  [0xfeedfacf, 'a Mach-O program'],
  [0xcefaedfe, 'a Mach-O program'],
  [0xcffaedfe, 'a Mach-O program'],
  [0xcafebabe, 'a universal Mach-O program or a Java class'],
  [0xbebafeca, 'a universal Mach-O program'],
  [0xcafebabf, 'a universal Mach-O program'],
  [0xbfbafeca, 'a universal Mach-O program'],
]);

/** Length of a DOS header in bytes; every Windows program begins with one. */
const DOS_HEADER = 64;

/** Why a file counts as executable, or undefined. Checks both the name and the first bytes: either can be misleading. */
export function executableReason({ name, bytes }: BundleFile): string | undefined {
  const extension = extensionOf(name);
  if (EXECUTABLE_EXTENSIONS.has(extension)) return `.${extension} files are executables`;
  if (/\.app\//i.test(name)) return 'it is inside an .app program';
  return nativeMagic(bytes);
}

function nativeMagic(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x23 && bytes[1] === 0x21) return 'its first two bytes, "#!", make it a script';
  if (isWindowsProgram(bytes)) return 'its first bytes are those of a Windows program';
  if (bytes.length < 4) return undefined;
  const word = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
  const kind = NATIVE_MAGIC.get(word);
  return kind === undefined ? undefined : `its first bytes are those of ${kind}`;
}

/** Text can begin with "MZ" too, but a DOS header contains zero bytes. */
function isWindowsProgram(bytes: Uint8Array): boolean {
  return bytes[0] === 0x4d && bytes[1] === 0x5a && bytes.subarray(0, DOS_HEADER).includes(0);
}
