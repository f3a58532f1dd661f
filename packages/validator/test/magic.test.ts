import { describe, expect, it } from 'vitest';
import { EXECUTABLE_EXTENSIONS, executableReason } from '../src/magic.ts';
import { bytesOf } from './support.ts';

const file = (name: string, ...bytes: number[]) => ({ name, bytes: Uint8Array.from(bytes) });

describe('executableReason', () => {
  it.each([...EXECUTABLE_EXTENSIONS])('recognises .%s in any letter case', (extension) => {
    expect(executableReason(file(`assets/x.${extension}`))).toBeDefined();
    expect(executableReason(file(`assets/x.txt.${extension.toUpperCase()}`))).toBeDefined();
    expect(executableReason(file(`assets/x${extension}`))).toBeUndefined();
  });

  it.each([
    [0x7f, 0x45, 0x4c, 0x46],
    [0xfe, 0xed, 0xfa, 0xce],
    [0xfe, 0xed, 0xfa, 0xcf],
    [0xce, 0xfa, 0xed, 0xfe],
    [0xcf, 0xfa, 0xed, 0xfe],
    [0xca, 0xfe, 0xba, 0xbe],
    [0xca, 0xfe, 0xba, 0xbf],
    [0xbe, 0xba, 0xfe, 0xca],
    [0x4d, 0x5a, 0x90, 0x00],
    [0x23, 0x21, 0x2f],
  ])('recognises the first bytes %i %i %i in a file with a harmless name', (...bytes) => {
    expect(executableReason(file('assets/logo.png', ...bytes, 0, 0))).toBeDefined();
  });

  it('reads the bytes of a view, not of the buffer behind it', () => {
    const bytes = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3, 4]).subarray(4);
    expect(executableReason({ name: 'a.bin', bytes })).toBeUndefined();
  });

  it('accepts text, images, WebAssembly and short files', () => {
    expect(executableReason({ name: 'README.md', bytes: bytesOf('MZ is how it begins.') })).toBeUndefined();
    expect(executableReason(file('a.png', 0x89, 0x50, 0x4e, 0x47))).toBeUndefined();
    expect(executableReason(file('a.wasm', 0, 0x61, 0x73, 0x6d))).toBeUndefined();
    expect(executableReason(file('a', 0x7f, 0x45))).toBeUndefined();
    expect(executableReason(file('a'))).toBeUndefined();
  });

  it('recognises programs that are folders', () =>
    expect(executableReason(file('assets/Evil.app/Contents/Info.plist'))).toBeDefined());
});
