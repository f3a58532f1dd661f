import type { Manifest } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The properties of the embedding client that apps depend on. */
export type Client = {
  /** Operating system, as in `process.platform`. */
  platform: string;
  /** Processor architecture, as in `process.arch`. */
  arch: string;
  /** Ids of the built-in apps of this client. */
  builtInApps: readonly string[];
};

/**
 * Checks that an app supports this operating system and processor.
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
