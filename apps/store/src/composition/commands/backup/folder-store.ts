import type { Settings } from '../../settings.ts';
import { CommandError } from '../command.ts';

/** Whether a store is in one folder, on SQLite and disk. */
export const isFolderStore = ({ databaseUrl, s3 }: Pick<Settings, 'databaseUrl' | 's3'>): boolean =>
  databaseUrl === null && s3 === null;

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
