import { type InteropFiles, interopJson } from '@svc/testkit';
import { KEY_CASES, type KeyCase } from './key-cases.ts';
import { FIRST } from './key-parts.ts';

/** A list of keys as a store sends it, and the result that a client must return: see interop/keys/README.md. */
export type KeyVector = {
  name: string;
  verdict: 'accept' | 'refuse';
  why: string;
  refusal?: KeyCase['refusal'];
  pinned: string;
  keys: unknown;
  /** Ids of the keys to trust, the current one last. */
  trusted?: string[];
};

/** Every vector, as interop/keys/vectors.json lists it. */
const keyVectors = (): KeyVector[] =>
  Object.entries(KEY_CASES).map(([name, { why, refusal, pinned = FIRST, keys, trusted }]) => {
    const verdict = refusal ? 'refuse' : 'accept';
    const outcome = refusal ? { refusal } : { trusted };
    return {
      name: `${verdict}-${name}`,
      verdict,
      why,
      ...outcome,
      pinned: pinned.publicKeyPem,
      keys,
    } as KeyVector;
  });

/** The files of `interop/keys`. */
export const keyFiles = (): InteropFiles => new Map([['vectors.json', interopJson(keyVectors())]]);
