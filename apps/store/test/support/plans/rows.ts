import { jobMover } from '../../../src/core/domain/versions/changes.ts';

export const NOW = '2026-06-01T00:00:00.000Z';
export const LATER = '2026-06-01T00:05:00.000Z';
export const APP = 'app.1002500';
export const REF = { appId: APP, version: '1.0.0' };
export const OTHER = { appId: 'app.1002501', version: '1.0.0' };
export const PERSON = 'person-1002500';
export const PUBLISHER = 'pub-1000500';
export const HASHES = ['hash-1002500', 'hash-1002501'];
export const MOVER = jobMover('checker', NOW);
export const ACTOR = { name: PERSON, from: { address: null, requestId: null } };

export const upload = (appId: string, version: string) => ({
  appId,
  version,
  publisher: PUBLISHER,
  sha256: 'a'.repeat(64),
  size: 1,
  // biome-ignore lint/suspicious/noExplicitAny: only its name and description are read
  manifest: { name: 'Word', description: 'Words of it.', categories: ['media'] } as any,
  readme: '',
  changelog: '',
  files: [],
  issues: [],
  submittedAt: NOW,
  submittedBy: PERSON,
});
