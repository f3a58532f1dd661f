import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StaleHead, System, WaitingChanges } from '@svc/runtime';
import { socketFetch, writeDurable } from '@svc/runtime/parts';
import { ANSWERS, jsonOf } from '@svc/runtime/read-answer';
import { z } from 'zod';
import { newSecret, proofOf, sameSecret } from '../http/secret.ts';

/** How to connect to the running desktop of a folder. Only the owner can read the file. */
const Control = z.strictObject({
  socket: z.string().min(1).max(4_096),
  port: z.number().int().min(1).max(65_535),
  pid: z.number().int().positive(),
  /** Bearer for programs of the same user; pages have their own bearers. */
  bearer: z.string().regex(/^[\w-]{43}$/),
});
type Control = z.infer<typeof Control>;

const fileIn = (folder: string): string => join(folder, 'desktop.json');

/** Reads the file; null if it is missing or invalid. */
async function readControl(folder: string): Promise<Control | null> {
  try {
    return Control.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch {
    return null;
  }
}

export const writeControl = (folder: string, control: Control): Promise<void> =>
  writeDurable(fileIn(folder), Buffer.from(`${JSON.stringify(control)}\n`));

/** Deletes the file, unless another desktop has replaced it. */
export async function removeControl(folder: string, { bearer }: Control): Promise<void> {
  if ((await readControl(folder))?.bearer === bearer) await rm(fileIn(folder), { force: true });
}

/** Timeout of a request to the desktop, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** A running desktop, and the bearer for requests to it. */
export type RunningDesktop = {
  origin: string;
  pid: number;
  bearer: string;
  /** Sends requests over the socket of the desktop, which no other user can take. */
  fetch: typeof fetch;
  /** Requests a one-time link to its page. @throws if the desktop has exited */
  newLink(): Promise<string>;
  /** What servers and stores changed and the user has not decided about. */
  updates(): Promise<WaitingUpdates>;
  /** Accepts or rejects the changes of an app that the user saw. @throws an Error with a sentence when they are no longer those */
  decide(shown: Pick<WaitingChanges, 'appId' | 'binding'>, as: 'accept' | 'reject'): Promise<void>;
};

type WaitingUpdates = { changes: WaitingChanges[]; stale: StaleHead[] };

export type FindDeps = { system: Pick<System, 'randomBytes'> };

const Proof = z.object({ proof: z.string() });
const Updates = z.object({
  changes: z.array(z.custom<WaitingChanges>()),
  stale: z.array(z.custom<StaleHead>()),
});
const Fault = z.object({ message: z.string() });
const Link = z.object({ link: z.string().startsWith('http://localhost:') });

async function request<T>(
  send: typeof fetch,
  path: string,
  [body, schema]: [object, z.ZodType<T>],
  bearer?: string,
): Promise<T> {
  const response = await send(`http://localhost/control/${path}`, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'Content-Type': 'application/json',
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    const fault = await jsonOf(response, ANSWERS.store.maxBytes, Fault).catch(() => null);
    throw new Error(fault?.message ?? `The desktop answers ${response.status}.`);
  }
  return jsonOf(response, ANSWERS.store.maxBytes, schema);
}

async function knowsBearer({ system }: FindDeps, send: typeof fetch, { bearer }: Control): Promise<boolean> {
  const challenge = newSecret(system);
  try {
    const { proof } = await request(send, 'hello', [{ challenge }, Proof]);
    return sameSecret(proof, proofOf(bearer, challenge));
  } catch {
    return false;
  }
}

/**
 * Finds the running desktop of a folder, by the socket in its control file. It must prove that it wrote this file.
 * @returns null if none is running
 */
export async function findRunningDesktop(folder: string, deps: FindDeps): Promise<RunningDesktop | null> {
  const control = await readControl(folder);
  if (!control) return null;
  const { socket, port, pid, bearer } = control;
  const send = socketFetch(socket);
  if (!(await knowsBearer(deps, send, control))) return null;
  return {
    origin: `http://localhost:${port}`,
    pid,
    bearer,
    fetch: send,
    newLink: async () => (await request(send, 'link', [{}, Link], bearer)).link,
    updates: () => request(send, 'updates', [{}, Updates], bearer),
    async decide({ appId, binding }, as) {
      await request(send, 'decide', [{ appId, binding, as }, z.object({})], bearer);
    },
  };
}
