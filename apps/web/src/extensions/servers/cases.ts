import { apiRequest } from '@svc/contracts/client';
import { count } from '@svc/text/quantity';
import { read } from '../../account/api.ts';
import { caseOf, type Waiting } from '../../moderation/cases.ts';

/** Servers that list other tools than those that were reviewed, for the inbox. */
export async function readServers(): Promise<Waiting> {
  const { entries } = await read(apiRequest('GET /api/moderation/drift'));
  const cases = entries.map((entry) => ({
    ...caseOf('/moderation/servers', 'server', entry),
    badges: [
      ...(entry.suspended ? [{ key: 'suspended', look: 'bad', text: 'App suspended' }] : []),
      { key: 'drift', look: 'mild', text: count(entry.drift.length, 'change') },
    ],
  }));
  return { cases, total: cases.length };
}
