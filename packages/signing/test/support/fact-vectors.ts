import { sign } from 'node:crypto';
import { type InteropFiles, interopJson } from '@svc/testkit';
import type { Refusal } from '../../src/index.ts';
import {
  ACCEPTED,
  AT,
  CURRENT,
  type FactCase,
  factsOf,
  OTHER_ANSWERS,
  OTHER_FACTS,
  RETIRED,
} from './fact-cases.ts';
import { OTHER_KEYS, OTHER_SIGNATURES } from './signature-cases.ts';
import { APPS } from './vector-apps.ts';

/** A bundle as a store sends it, and the result that a verifier must return: see interop/signing/README.md. */
export type FactVector = {
  name: string;
  verdict: 'accept' | 'refuse';
  why: string;
  refusal?: Refusal;
  pinned: string[];
  asked: { appId: string; version: string };
  bundle: string;
  headers: Record<'X-Svc-Sha256' | 'X-Svc-Signature' | 'X-Svc-Key-Id' | 'X-Svc-Published-At', string>;
  signed: { text: string; publicKeyPem: string } | null;
};

const spell = (signature: string | Uint8Array): string =>
  typeof signature === 'string' ? signature : Buffer.from(signature).toString('base64');

function vectorOf(name: string, given: FactCase, refusal: Refusal | null): FactVector {
  const { why, app = APPS.notes, signer = CURRENT, at = AT } = given;
  const text = given.text ?? factsOf(app);
  const spelt = given.spelt ?? ((signature: string) => signature);
  const signature = given.signature ?? sign(null, Buffer.from(text), signer.privateKey);
  const isSigned = given.signature === undefined && given.spelt === undefined;
  return {
    name: `${refusal ? 'refuse' : 'accept'}-${name}`,
    verdict: refusal ? 'refuse' : 'accept',
    why,
    ...(refusal && { refusal }),
    pinned: given.pinned ?? [RETIRED.publicKeyPem, CURRENT.publicKeyPem],
    asked: { appId: app.appId, version: app.version, ...given.asked },
    bundle: app.file,
    headers: {
      'X-Svc-Sha256': given.sha256 ?? app.sha256,
      'X-Svc-Signature': spelt(spell(signature)),
      'X-Svc-Key-Id': given.keyId ?? signer.keyId,
      'X-Svc-Published-At': at,
    },
    signed: isSigned ? { text, publicKeyPem: signer.publicKeyPem } : null,
  };
}

/** Every vector, as interop/signing/vectors.json lists it. */
function factVectors(): FactVector[] {
  const refused = { ...OTHER_FACTS, ...OTHER_SIGNATURES, ...OTHER_KEYS, ...OTHER_ANSWERS };
  return [
    ...Object.entries(ACCEPTED).map(([name, given]) => vectorOf(name, given, null)),
    ...Object.entries(refused).map(([name, given]) =>
      vectorOf(name, given, given.refusal ?? 'bad-signature'),
    ),
  ];
}

/** The files of `interop/signing`. */
export const factFiles = (): InteropFiles =>
  new Map([
    ...Object.values(APPS).map(({ file, bytes }) => [file, bytes] as const),
    ['vectors.json', interopJson(factVectors())],
  ]);
