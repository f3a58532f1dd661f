/** Why a folder cannot be packed. */
export type FolderFault =
  | 'missing'
  | 'not-a-folder'
  | 'link'
  | 'special'
  | 'unreadable'
  | 'too-many'
  | 'too-large';

/** Errors by the code of the underlying system error; any other is `unreadable`. */
const BY_SYSTEM_CODE: Record<string, FolderFault> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-folder',
  ELOOP: 'link',
};

const REASONS: Partial<Record<FolderFault, string>> = {
  missing: 'does not exist',
  'not-a-folder': 'is not a folder',
  link: 'is a symbolic link: replace it by the file',
};

/** Error of a folder that cannot be packed, with the path of the problem. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
  readonly fault: FolderFault;
  readonly path: string;

  constructor(fault: FolderFault, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.path = path;
  }

  /** Converts an error of the file system to a FolderError; rethrows any other error. */
  static of(path: string, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (error instanceof FolderError || code === undefined) return error;
    const fault = BY_SYSTEM_CODE[code] ?? 'unreadable';
    const reason = REASONS[fault] ?? `cannot be read (${code})`;
    return new FolderError(fault, path, `${path} ${reason}.`, { cause: error });
  }
}
