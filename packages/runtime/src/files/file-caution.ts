import path from 'node:path';
import type { FileCaution, HandedFile } from './handed-file.ts';

const SECRET_NAME =
  /^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|gpg|pgp|asc|ovpn|age|env|tfstate|tfvars)(?:\.|$)|^(?:authorized_keys|known_hosts|shadow|gshadow|htpasswd|wallet\.dat|logins\.json|key4\.db)$|credential|secret|password|passwd|service[-_]?account/i;

/** Beginnings and marks of keys: PEM (RFC 7468), OpenSSH, PuTTY, OpenPGP (RFC 9580), age, cloud providers. */
const SECRET_MARKS = [
  'PRIVATE KEY-----',
  'PRIVATE KEY BLOCK-----',
  'openssh-key-v1',
  'PuTTY-User-Key-File',
  'AGE-SECRET-KEY-1',
  '"private_key"',
  'aws_secret_access_key',
  '\u0003\u00d9\u00a2\u009a',
];

/** How much of a file is searched, in bytes. */
const SEARCHED = 1024 * 1024;

const holdsSecret = (bytes: Uint8Array): boolean => {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SEARCHED));
  const isWide = searched[1] === 0 || (searched[0] === 0xff && searched[1] === 0xfe);
  return SECRET_MARKS.some(
    (mark) =>
      searched.includes(Buffer.from(mark, 'latin1')) ||
      (isWide && searched.includes(Buffer.from(mark, 'utf16le'))),
  );
};

function namesOf({ origin }: HandedFile): { names: string[]; isOutside: boolean } {
  if (!origin) return { names: [], isOutside: false };
  const within = origin.project === null ? null : path.relative(origin.project, origin.path);
  const isOutside = within === null || path.isAbsolute(within) || within.split(path.sep)[0] === '..';
  return { names: (isOutside ? origin.path : (within ?? '')).split(path.sep), isOutside };
}

/** Whether a file needs the user's decision each time, and why. */
export function cautionOf(file: HandedFile): FileCaution | null {
  const { names, isOutside } = namesOf(file);
  const all = [...names, file.name.split(/[\\/]/).at(-1) ?? ''];
  if (all.some((name) => SECRET_NAME.test(name)) || holdsSecret(file.bytes)) return 'secret';
  if (all.some((name) => name.startsWith('.'))) return 'hidden';
  return isOutside ? 'outside' : null;
}
