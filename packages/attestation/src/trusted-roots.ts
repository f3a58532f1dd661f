import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, Verifier } from '@sigstore/verify';
import { SIGSTORE_ROOT } from './sigstore-root.ts';

/** Instances of Sigstore whose certificates are trusted. */
export type TrustedRoots = readonly Verifier[];

const MEDIA_TYPE = /^application\/vnd\.dev\.sigstore\.trustedroot/;

/** Whether a log or an authority says since when it is trusted: without that it would be trusted at any time. */
const hasStart = (validFor: { start?: Date | undefined } | undefined): boolean =>
  validFor?.start !== undefined;

function rootOf(value: unknown): Verifier {
  const isRoot = MEDIA_TYPE.test(String((value as { mediaType?: unknown } | null)?.mediaType));
  if (!isRoot) throw new Error('it is no trusted root of Sigstore');
  const root = TrustedRoot.fromJSON(value);
  const { certificateAuthorities, timestampAuthorities, tlogs, ctlogs } = root;
  if (certificateAuthorities.length === 0 || (tlogs.length === 0 && timestampAuthorities.length === 0))
    throw new Error(
      'it names no certificate authority, or neither a transparency log nor a timestamp authority',
    );
  const authorities = [...certificateAuthorities, ...timestampAuthorities];
  if (
    !authorities.every(({ validFor }) => hasStart(validFor)) ||
    ![...tlogs, ...ctlogs].every(({ publicKey }) => hasStart(publicKey?.validFor))
  )
    throw new Error('a log or an authority in it does not say since when it is valid');
  // The instance of GitHub for private repositories has no logs: its timestamp authority stands for them.
  return new Verifier(toTrustMaterial(root), {
    tlogThreshold: Math.min(1, tlogs.length),
    ctlogThreshold: Math.min(1, ctlogs.length),
    timestampThreshold: 1,
  });
}

/**
 * Reads the trusted roots of instances of Sigstore: one `trusted_root.json`, or one a line, as `gh attestation trusted-root` prints them.
 * @throws Error that says what is wrong with the text
 */
export function readTrustedRoots(text: string): TrustedRoots {
  const parse = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      throw new Error('it is not JSON');
    }
  };
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isOnePerLine = lines.length > 1 && lines.every((line) => line.trimEnd().endsWith('}'));
  return isOnePerLine ? lines.map((line) => rootOf(parse(line))) : [rootOf(parse(text))];
}

let own: TrustedRoots | undefined;

/** The public instance of Sigstore, which signs for public repositories of GitHub and GitLab. */
export function sigstoreRoots(): TrustedRoots {
  own ??= [rootOf(SIGSTORE_ROOT)];
  return own;
}
