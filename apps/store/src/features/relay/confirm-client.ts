import { LIMITS } from '@svc/contracts';
import { hashSecret, sameSecret } from '../../platform/secret.ts';
import type { CollectDeps } from './collect-code.ts';
import type { Confirmation } from './relay-store.ts';

/** Digits of SHA-256 from which those of a client are derived: the first 32 bits. */
const HEX_DIGITS = 8;

/** The digits that the client of a state shows: the first 32 bits of SHA-256, modulo 1000. */
export const digitsOf = (stateHash: string): string =>
  String(Number.parseInt(stateHash.slice(0, HEX_DIGITS), 16) % 10 ** LIMITS.relay.digits).padStart(
    LIMITS.relay.digits,
    '0',
  );

/** What users type between or around digits. */
const SEPARATORS = /[\s.-]/g;

/**
 * Confirms the client whose digits the user typed: it gets the response. Three wrong ones delete the response.
 * @param ticket of the page; only the browser that brought the response has it
 */
export async function confirmClient(
  { relay, unitOfWork, clock }: Pick<CollectDeps, 'relay' | 'unitOfWork' | 'clock'>,
  { ticket, digits }: { ticket: string; digits: string },
): Promise<Confirmation> {
  const ticketHash = hashSecret(ticket);
  const stateHash = await relay.stateOfTicket(ticketHash, clock().toISOString());
  if (stateHash === null) return 'gone';
  const isRight = sameSecret(digitsOf(stateHash), digits.replaceAll(SEPARATORS, ''));
  return unitOfWork((stores) => stores.relay.confirm(ticketHash, isRight));
}
