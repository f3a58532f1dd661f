import type { Token } from '@svc/contracts';
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
