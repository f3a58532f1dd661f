import { readFileSync } from 'node:fs';
import { isThisMachine } from '@svc/contracts/this-machine';
import { type NoteKey, readVerifierKey, SIGNATURE_TYPES } from '@svc/log';
import { z } from 'zod';
import { SettingError } from './setting.ts';

/** Witnesses of one log at most: a checkpoint must have room for their signatures. */
const MOST = 16;

const WitnessKey = z.string().transform((vkey, context): NoteKey => {
  const key = readVerifierKey(vkey);
  if (key?.type === SIGNATURE_TYPES.cosignature) return key;
  context.addIssue({ code: 'custom', message: 'must be the verifier key of a witness' });
  return z.NEVER;
});

const Url = z
  .url({ protocol: /^https?$/ })
  .refine((url) => url.startsWith('https:') || isThisMachine(new URL(url).hostname))
  .transform((url) => (url.endsWith('/') ? url.slice(0, -1) : url));

const WitnessFile = z
  .strictObject({
    quorum: z.int().min(1).max(MOST),
    witnesses: z
      .array(z.strictObject({ key: WitnessKey, url: Url }))
      .min(1)
      .max(MOST),
  })
  .refine(({ quorum, witnesses }) => quorum <= witnesses.length)
  .refine(({ witnesses }) => new Set(witnesses.map(({ key }) => key.keyId)).size === witnesses.length);

/** Reads the witnesses of the log, and how many of them clients may demand. @throws SettingError */
export function readWitnesses(file: string): z.infer<typeof WitnessFile> {
  try {
    const read = WitnessFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (read.success) return read.data;
  } catch (error) {
    throw new SettingError(`cannot be read: ${(error as Error).message}`);
  }
  throw new SettingError(
    'cannot be used: it must be { "quorum": 1, "witnesses": [{ "key": "witness.example/w1+1234abcd+B…", "url": "https://witness.example" }] }, with different keys and a quorum that they can reach',
  );
}
