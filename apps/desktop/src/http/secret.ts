import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { System } from '@svc/runtime';

const SECRET_BYTES = 32;

/** Creates a secret of 256 random bits. */
export const newSecret = ({ randomBytes }: Pick<System, 'randomBytes'>): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares two secrets in constant time. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** Proves knowledge of a secret without revealing it: base64url, 256 bits. */
export const proofOf = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(`svc-desktop:${challenge}`).digest('base64url');

/** The token of an `Authorization: Bearer` header; empty when there is none. */
export const bearerIn = (header: string | undefined): string =>
  /^Bearer ([\w-]{1,200})$/i.exec(header ?? '')?.[1] ?? '';
