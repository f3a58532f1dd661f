import type { System } from '@svc/runtime';
import { z } from 'zod';
import { newSecret, proofOf, sameSecret } from '../http/secret.ts';
import { type Control, readControl } from './control-file.ts';

/** How long a desktop on this machine may take to answer, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** A desktop that runs in a folder, and what to ask it with. */
export type RunningDesktop = {
  origin: string;
  pid: number;
  bearer: string;
  /** A new one-time link to its page. @throws when it has gone meanwhile */
  newLink(): Promise<string>;
};

export type FindDeps = { fetch: typeof fetch; system: Pick<System, 'randomBytes'> };

const Proof = z.object({ proof: z.string() });
const Link = z.object({ link: z.string().startsWith('http://localhost:') });

async function ask<T>(
  { fetch }: FindDeps,
  { port, bearer }: { port: number; bearer?: string },
  path: string,
  [body, form]: [object, z.ZodType<T>],
): Promise<T> {
  // By number: the name may lead to an address that another program holds.
  const response = await fetch(`http://127.0.0.1:${port}/control/${path}`, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'Content-Type': 'application/json',
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The desktop answers ${response.status}.`);
  return form.parse(await response.json());
}

async function knowsBearer(deps: FindDeps, { port, bearer }: Control): Promise<boolean> {
  const challenge = newSecret(deps.system);
  try {
    const { proof } = await ask(deps, { port }, 'hello', [{ challenge }, Proof]);
    return sameSecret(proof, proofOf(bearer, challenge));
  } catch {
    return false;
  }
}

/**
 * The desktop that runs in a folder. It is asked to show that it is the one that wrote the file there, so that a file which
 * outlived its desktop leads nowhere, no matter who listens on that port now.
 * @returns null when none runs
 */
export async function findRunningDesktop(folder: string, deps: FindDeps): Promise<RunningDesktop | null> {
  const control = await readControl(folder);
  if (!control || !(await knowsBearer(deps, control))) return null;
  const { port, pid, bearer } = control;
  return {
    origin: `http://localhost:${port}`,
    pid,
    bearer,
    newLink: async () => (await ask(deps, { port, bearer }, 'link', [{}, Link])).link,
  };
}
