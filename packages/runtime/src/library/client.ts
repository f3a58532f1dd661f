import type { Manifest } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The client that embeds the runtime, as far as apps depend on it. */
export type Client = {
  /** Operating system, as `process.platform` has it. */
  platform: string;
  /** Processor, as `process.arch` has it. */
  arch: string;
  /** Ids of the built-in apps that this client brings. */
  builtInApps: readonly string[];
};

/**
 * Sees to it that an app runs on this machine.
 * @throws RuntimeError `not-for-this-machine`
 */
export function requireMachine(
  { platforms, arch }: Pick<Manifest, 'platforms' | 'arch'>,
  client: Client,
): void {
  const fits = (names: readonly string[] | undefined, name: string) => !names || names.includes(name);
  if (fits(platforms, client.platform) && fits(arch, client.arch)) return;
  throw new RuntimeError('not-for-this-machine', undefined, { detail: { platforms, arch } });
}
