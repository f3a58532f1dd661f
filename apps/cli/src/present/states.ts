import type { VersionState } from '@svc/contracts';

type StateText = { name: string; meaning: string; mood: 'good' | 'waiting' | 'bad' };

export const RETRACTED: StateText = {
  name: 'retracted',
  meaning: 'Its publisher retracted it. Its version number cannot be used again.',
  mood: 'bad',
};

/** The name and the meaning of each state, and the mood of its headline. */
export const STATES: Readonly<Record<VersionState, StateText>> = {
  submitted: { name: 'submitted', meaning: 'It is uploaded; the checks have not started.', mood: 'waiting' },
  checking: { name: 'checking', meaning: 'The checks are running.', mood: 'waiting' },
  in_review: {
    name: 'in review',
    meaning: 'It waits for a moderator.',
    mood: 'waiting',
  },
  approved: { name: 'approved', meaning: 'It is being signed.', mood: 'waiting' },
  rejected: {
    name: 'rejected',
    meaning: 'It will not be published. Fix the problems in the notes and upload a greater version.',
    mood: 'bad',
  },
  published: { name: 'published', meaning: 'Users can install it.', mood: 'good' },
  yanked: {
    name: 'yanked',
    meaning: 'The store no longer offers it. Clients that have it installed disable it.',
    mood: 'bad',
  },
};
