import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@svc/signing';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Ask, LocalAccess, LocalConnectorCard } from './card.ts';
import { cardAppOf } from './card-app.ts';

/** Asks the user whether a program may run on this machine, or a server of the local network be reached. */
function localConnectorCard(app: InstalledApp, access: LocalAccess): LocalConnectorCard {
  const card: Omit<LocalConnectorCard, 'binding'> = { kind: 'local-connector', app: cardAppOf(app), access };
  const bound = canonicalJson(card as unknown as JsonValue);
  return { ...card, binding: createHash('sha256').update(bound).digest('hex') };
}

/**
 * Has the user agree to a local connector.
 * @throws RuntimeError `declined` without a yes to exactly this; the signal's reason
 */
export async function requireLocalConsent(
  app: InstalledApp,
  access: LocalAccess,
  ask: Ask,
  signal: AbortSignal,
): Promise<void> {
  const card = localConnectorCard(app, access);
  const answer = await ask(card, signal);
  signal.throwIfAborted();
  if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
}
