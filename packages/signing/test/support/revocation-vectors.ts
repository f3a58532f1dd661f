import { type InteropFiles, interopJson } from '@svc/testkit';
import { listHeadFile } from './list-head-vectors.ts';
import { CURRENT, INSTALLED, type ListStep, REFUSED, RETIRED, TAKEN } from './revocation-cases.ts';

/** Lists that a client receives one after another: see interop/revocations/README.md. */
export type RevocationVector = {
  name: string;
  why: string;
  /** Keys that the client trusts, the current one last. */
  keys: { keyId: string; publicKeyPem: string }[];
  installed: string[];
  steps: ListStep[];
};

const keys = [RETIRED, CURRENT].map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem }));

/** Every vector, as interop/revocations/vectors.json lists it. */
const revocationVectors = (): RevocationVector[] =>
  Object.entries({ accept: TAKEN, refuse: REFUSED }).flatMap(([verdict, cases]) =>
    Object.entries(cases).map(([name, { why, steps }]) => ({
      ...{ name: `${verdict}-${name}`, why, keys, installed: INSTALLED, steps },
    })),
  );

/** The files of `interop/revocations`. */
export const revocationFiles = (): InteropFiles =>
  new Map([
    ['vectors.json', interopJson(revocationVectors())],
    ['heads.json', listHeadFile()],
  ]);
