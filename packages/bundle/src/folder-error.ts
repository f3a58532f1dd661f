/** Why a folder cannot be packed. */
export type FolderFault =
  | 'missing'
  | 'not-a-folder'
  | 'link'
  | 'special'
  | 'unreadable'
  | 'too-many'
  | 'too-large';

/** Faults by the code of the system error behind them; any other is `unreadable`. */
const BY_SYSTEM_CODE: Record<string, FolderFault> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-folder',
  ELOOP: 'link',
};

const REASONS: Partial<Record<FolderFault, string>> = {
  missing: 'does not exist',
  'not-a-folder': 'is not a folder',
  link: 'is a symbolic link: put the file itself there',
};

/** A folder that cannot be packed, and the path at fault. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
  readonly fault: FolderFault;
  readonly path: string;

  constructor(fault: FolderFault, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.path = path;
  }

  /** The FolderError for what the file system threw; errors that are not the file system's go on as they are. */
  static of(path: string, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (error instanceof FolderError || code === undefined) return error;
    const fault = BY_SYSTEM_CODE[code] ?? 'unreadable';
    const reason = REASONS[fault] ?? `cannot be read (${code})`;
    return new FolderError(fault, path, `${path} ${reason}.`, { cause: error });
  }
}
