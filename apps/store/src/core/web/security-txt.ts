import type { EncodedPage } from '../../http/encoded-page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { file } from './file.ts';

type SecurityDeps = Pick<Parts, 'baseUrl' | 'clock'> & { securityContact: string | null };

/** Months that a security.txt is valid: less than a year is recommended (RFC 9116 section 2.5.5). */
const EXPIRES_DAYS = 180;
const DAY_MS = 24 * 3_600_000;

/** `security.txt` (RFC 9116). @throws ApiError not_found where the operator names no contact */
export function securityTxt({ baseUrl, securityContact, clock }: SecurityDeps): EncodedPage {
  if (securityContact === null)
    throw new ApiError('not_found', 'The operator of this store names no contact: see SVC_SECURITY_CONTACT.');
  // Rounded to a day, so that the file changes once a day.
  const expires = new Date(Math.floor(clock().getTime() / DAY_MS + EXPIRES_DAYS) * DAY_MS).toISOString();
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
  ];
  return file('text/plain; charset=utf-8', `${lines.join('\n')}\n`);
}
