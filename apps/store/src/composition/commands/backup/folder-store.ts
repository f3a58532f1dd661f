import { SettingError, type Settings } from '../../settings.ts';
import { CommandError } from '../command.ts';

/** @throws SettingError for a store that is not in one folder, with what to use instead */
export function requireFolderStore({ databaseUrl, s3 }: Settings): void {
  if (databaseUrl === null && s3 === null) return;
  throw new SettingError(
    'This command is for a store on SQLite and disk: use pg_dump for PostgreSQL, and versioning or replication of the bucket for S3.',
  );
}

/**
 * Runs work, and reports a failure as one line to the operator.
 * @param what the beginning of that line, such as "The store was not restored"
 * @throws CommandError
 */
export async function inOneLine<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new CommandError(`${what}: ${line}`);
  }
}
