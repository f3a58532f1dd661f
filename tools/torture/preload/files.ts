import promises, { type FileHandle } from 'node:fs/promises';
import { around, type Fault } from './strike.ts';

type AnyAsync = (...args: unknown[]) => Promise<unknown>;

/** The path-based file operations of a publish. Reads are steps too: they can fail, and the process can die at one. */
const BY_NAME = [
  'open',
  'rename',
  'rm',
  'unlink',
  'link',
  'mkdir',
  'access',
  'stat',
  'utimes',
  'writeFile',
] as const;

/** The operations of a publish on an open file. */
const BY_HANDLE = ['sync', 'datasync', 'close'] as const;

const ERRNO: Record<Fault, [errno: number, text: string]> = {
  ENOSPC: [-28, 'no space left on device'],
  EIO: [-5, 'i/o error'],
  EDQUOT: [-122, 'disk quota exceeded'],
};

const failure = (syscall: string) => (fault: Fault) => {
  const [errno, text] = ERRNO[fault];
  return Object.assign(new Error(`${fault}: ${text}, ${syscall}`), { code: fault, errno, syscall });
};

const baseName = (path: unknown): string => String(path).split('/').slice(-2).join('/');

function patchNames(): void {
  const names = promises as unknown as Record<string, AnyAsync>;
  for (const name of BY_NAME) {
    const original = names[name] as AnyAsync;
    names[name] = (...args) =>
      around(`${name} ${baseName(args[0])}`, { run: () => original(...args), fail: failure(name) });
  }
}

/** The first half of some bytes, at least one byte. */
const halfOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.byteLength / 2));

const bytesOf = (data: unknown): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data) : (data as Uint8Array);

/** Writes to an open file; a half write is a short write, which the system reports by its count without an error. */
function patchWrites(handle: FileHandle): void {
  const proto = Object.getPrototypeOf(handle) as Record<string, AnyAsync>;
  const { write, writev, writeFile } = proto as Record<'write' | 'writev' | 'writeFile', AnyAsync>;
  proto.writev = function (this: FileHandle, ...args) {
    const whole = Buffer.concat(args[0] as Uint8Array[]);
    return around('writev', {
      run: () => writev.apply(this, args),
      half: () => write.call(this, halfOf(whole)),
      fail: failure('write'),
    });
  };
  proto.writeFile = function (this: FileHandle, ...args) {
    return around('writeFile', {
      run: () => writeFile.apply(this, args),
      // The library continues after a short write, and meets the fault then.
      half: () =>
        write.call(this, halfOf(bytesOf(args[0]))).then(() => {
          throw failure('write')('ENOSPC');
        }),
      fail: failure('write'),
    });
  };
}

function patchHandles(handle: FileHandle): void {
  const proto = Object.getPrototypeOf(handle) as Record<string, AnyAsync>;
  for (const name of BY_HANDLE) {
    const original = proto[name] as AnyAsync;
    proto[name] = function (this: FileHandle, ...args) {
      return around(name === 'close' ? 'close' : 'fsync', {
        run: () => original.apply(this, args),
        fail: failure(name === 'close' ? 'close' : 'fsync'),
      });
    };
  }
}

/** Makes every call of `node:fs/promises` a step. Call `syncBuiltinESMExports` afterwards. */
export async function patchFiles(): Promise<void> {
  const handle = await promises.open(import.meta.filename, 'r');
  const close = handle.close.bind(handle);
  patchWrites(handle);
  patchHandles(handle);
  patchNames();
  await close();
}
