import type { CommandContext } from '../command-context.ts';
import { connect, type StoreOption } from '../connect.ts';
import { jsonLine } from '../present/escape.ts';
import { statusText } from '../present/status.ts';
import type { VersionRef } from '../store-client.ts';

export type StatusOptions = StoreOption & { json?: boolean };

/** `svc status`: says how an uploaded version fares. Returns 0 whatever its state: the question was answered. */
export async function status(
  world: CommandContext,
  ref: VersionRef,
  options: StatusOptions,
): Promise<number> {
  const record = await connect(world, options).client.status(ref);
  world.terminal.out(options.json ? jsonLine(record) : statusText(world.terminal, record));
  return 0;
}
