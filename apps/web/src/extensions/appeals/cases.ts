import type { Decision } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { read } from '../../account/api.ts';
import type { Waiting } from '../../moderation/cases.ts';
import { iconOf } from '../../moderation/version-path.ts';

export const DECISION_WORDS: Readonly<Record<Decision['kind'], string>> = {
  'version-rejected': 'Rejected',
  'version-yanked': 'Yanked',
  'app-suspended': 'App suspended',
  'publisher-suspended': 'Publisher suspended',
  emergency: 'Emergency',
};

export const OPEN_APPEALS = apiRequest('GET /api/moderation/appeals');

/** Open appeals, for the inbox. */
export async function readAppeals(): Promise<Waiting> {
  const { appeals } = await read(OPEN_APPEALS);
  const cases = appeals.map(({ id, kind, appId, appName, version, publisherName, appeal, at, conflict }) => ({
    of: { kind: 'appeal' as const, subject: id },
    href: `/moderation/appeals#${id}`,
    icon: appId !== null && version !== null ? iconOf({ appId, version }) : null,
    name: appName ?? publisherName,
    about: [version, publisherName]
      .filter((part) => part !== null)
      .map(visible)
      .join(', '),
    badges: [
      ...(conflict ? [{ key: 'conflict', look: '', text: 'Decided by another' }] : []),
      { key: kind, look: 'mild', text: DECISION_WORDS[kind] },
    ],
    since: appeal?.at ?? at,
    dueAt: null,
    assignedTo: null,
  }));
  return { cases, total: cases.length };
}
