import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { System } from '@svc/runtime';
import { writeDurable } from '@svc/runtime/parts';
import { newSecret } from '../http/secret.ts';

const BEARER = /^[\w-]{43}$/;

/** Earlier bearers that are kept, to find the configurations that contain one. */
const KEPT = 20;

const fileIn = (folder: string): string => join(folder, 'agent-bearer');

/** The bearers of a folder, the valid one first. */
async function bearersOf(folder: string): Promise<string[]> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => BEARER.test(line));
}

/** The bearer of agents for the gateway of a folder, in which a desktop runs. It grants no access to the page, and cannot create links to it. */
export const agentBearer = async (folder: string): Promise<string> => (await bearersOf(folder))[0] ?? '';

/**
 * Creates the bearer of a desktop that starts. While no desktop runs, another program can take its port, to which agents that are
 * configured with `--http` send their bearer: it is no longer valid then.
 * @returns the bearer, and those before it
 */
export async function renewAgentBearer(
  folder: string,
  system: Pick<System, 'randomBytes'>,
): Promise<{ bearer: string; earlier: string[] }> {
  const earlier = (await bearersOf(folder)).slice(0, KEPT);
  const bearer = newSecret(system);
  await writeDurable(fileIn(folder), Buffer.from(`${[bearer, ...earlier].join('\n')}\n`));
  return { bearer, earlier };
}
