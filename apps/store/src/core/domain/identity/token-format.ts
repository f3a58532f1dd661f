import { crc32 } from 'node:zlib';
import type { Token, TokenKind } from '@svc/contracts';
import type { RandomBytes } from '../../../platform/system.ts';
import type { TokenRecord } from './token-store.ts';

/** A token as its owner sees it. */
export const presentToken = (record: TokenRecord): Token => ({
  id: record.id,
  name: record.name,
  kind: record.kind,
  scopes: record.scopes,
  ...(record.publisher !== null && { publisher: record.publisher }),
  ...(record.appId !== null && { appId: record.appId }),
  createdAt: record.createdAt,
  expiresAt: record.expiresAt,
  ...(record.lastUsedAt !== null && { lastUsedAt: record.lastUsedAt }),
});

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 29;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^(svc[dpc]_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

const PREFIX: Record<TokenKind, string> = { device: 'svcd_', personal: 'svcp_', ci: 'svcc_' };

/** Uniformly random characters: bytes above the last multiple of 62 are discarded, which avoids a bias. */
function randomCharacters(length: number, random: RandomBytes): string {
  const fair = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < fair && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** Creates a developer token: prefix, 29 base62 characters (172 bits), and a checksum that secret scanners can test. */
export function newToken(kind: TokenKind, random: RandomBytes): string {
  const secret = PREFIX[kind] + randomCharacters(SECRET_LENGTH, random);
  return secret + checksum(secret);
}

/** Whether a text has the format of a developer token. It detects mistyped tokens without a database query. */
export function isTokenShaped(text: string): boolean {
  const parts = SHAPE.exec(text);
  return parts !== null && checksum(parts[1] ?? '') === parts[2];
}
