import type { ParseArgsOptionsConfig } from 'node:util';
import type { StoreKey } from '@svc/contracts';
import type { SigningKey } from '@svc/signing';
import type { UnitOfWork } from '../../../platform/system.ts';
import type { Parts, Stores } from './parts.ts';

/** The operands of a command in order, and its options by name. */
export type GivenArgs = { operands: readonly string[]; options: Readonly<Record<string, unknown>> };

/** What a command of an extension gets: the database of the store, which may run at the same time. */
type CommandParts = Stores &
  Pick<Parts, 'clock' | 'baseUrl'> & {
    unitOfWork: UnitOfWork<Stores>;
    /** The signing key of the store, with its chain. */
    keys(): Promise<{ signingKey: SigningKey; keyChain: readonly StoreKey[] }>;
    /** Runs a command that the extension has where all parts of the store are open. @param name its name */
    inStore(name: string, args: GivenArgs): Promise<string>;
  };

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
  run(args: GivenArgs, parts: CommandParts): Promise<string | { print: string }>;
};
