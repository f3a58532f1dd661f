import type { ParseArgsOptionsConfig } from 'node:util';
import type { UnitOfWork } from '../../../platform/system.ts';
import type { Parts, Stores } from './parts.ts';

/** What a command of an extension gets: the database of the store, which may run at the same time. */
type CommandParts = Stores & Pick<Parts, 'clock' | 'baseUrl'> & { unitOfWork: UnitOfWork<Stores> };

/** A command of `svc-store`. */
export type ExtensionCommand = {
  /** The words after `svc-store`. */
  name: string;
  /** The required operands in order, by their names in the help. */
  operands: readonly string[];
  /** The options, as `parseArgs` of `node:util` declares them. */
  options: ParseArgsOptionsConfig;
  /** The line in the help. */
  summary: string;
  /** @throws ApiError with the line that the operator reads */
  run(
    args: { operands: readonly string[]; options: Readonly<Record<string, unknown>> },
    parts: CommandParts,
  ): Promise<string | { print: string }>;
};
