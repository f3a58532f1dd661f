import type { System } from '@svc/runtime';
import { z } from 'zod';
import { newSecret, proofOf, sameSecret } from '../http/secret.ts';
import { type Control, readControl } from './control-file.ts';

/** Timeout of a request to the desktop, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** A running desktop, and the bearer for requests to it. */
export type RunningDesktop = {
  origin: string;
  pid: number;
  bearer: string;
  /** Requests a one-time link to its page. @throws if the desktop has exited */
  newLink(): Promise<string>;
};

export type FindDeps = { fetch: typeof fetch; system: Pick<System, 'randomBytes'> };

const Proof = z.object({ proof: z.string() });
const Link = z.object({ link: z.string().startsWith('http://localhost:') });

async function request<T>(
  { fetch }: FindDeps,
  { port, bearer }: { port: number; bearer?: string },
  path: string,
  [body, schema]: [object, z.ZodType<T>],
): Promise<T> {
  // By number: `localhost` may resolve to an address on which another program listens.
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
  return schema.parse(await response.json());
}

async function knowsBearer(deps: FindDeps, { port, bearer }: Control): Promise<boolean> {
  const challenge = newSecret(deps.system);
  try {
    const { proof } = await request(deps, { port }, 'hello', [{ challenge }, Proof]);
    return sameSecret(proof, proofOf(bearer, challenge));
  } catch {
    return false;
  }
}

/**
 * Finds the running desktop of a folder. It must prove that it wrote the control file, because another program may listen on the port
 * of a desktop that has exited.
 * @returns null if none is running
 */
export async function findRunningDesktop(folder: string, deps: FindDeps): Promise<RunningDesktop | null> {
  const control = await readControl(folder);
  if (!control || !(await knowsBearer(deps, control))) return null;
  const { port, pid, bearer } = control;
  return {
    origin: `http://localhost:${port}`,
    pid,
    bearer,
    newLink: async () => (await request(deps, { port, bearer }, 'link', [{}, Link])).link,
  };
}
