import type { VersionState } from '@svc/contracts';

type StateText = { name: string; meaning: string; mood: 'good' | 'waiting' | 'bad' };

/** How a version reads that its publisher took back. */
export const RETRACTED: StateText = {
  name: 'retracted',
  meaning: 'Its publisher took it back before it was decided. Its number stays used.',
  mood: 'bad',
};

/** How a state reads: its name, what it means, and whether that is good news. */
export const STATES: Readonly<Record<VersionState, StateText>> = {
  submitted: { name: 'submitted', meaning: 'It was taken in; the checks have not begun.', mood: 'waiting' },
  checking: { name: 'checking', meaning: 'The checks are under way.', mood: 'waiting' },
  in_review: {
    name: 'in review',
    meaning: 'A person must look at it before it is published.',
    mood: 'waiting',
  },
  approved: { name: 'approved', meaning: 'It waits to be signed, which happens by itself.', mood: 'waiting' },
  rejected: {
    name: 'rejected',
    meaning: 'It will not be published. Change what the notes name and upload a greater version.',
    mood: 'bad',
  },
  published: { name: 'published', meaning: 'Anybody can install it.', mood: 'good' },
  yanked: {
    name: 'yanked',
    meaning: 'It was withdrawn: clients that have it switch it off.',
    mood: 'bad',
  },
};
