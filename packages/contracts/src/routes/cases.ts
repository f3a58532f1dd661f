import { z } from 'zod';
import * as cases from '../records/cases.ts';
import { AssignmentRequest } from '../records/moderation.ts';
import { route } from './route.ts';

/** Whose turn each case is, and what was decided: the same for all kinds. */
export const caseRoutes = {
  caseAssignments: route.moderation('moderator GET /api/moderation/cases', {
    summary: 'List the assigned cases that are not versions, and how long a case may wait.',
    success: { status: 200, body: cases.CaseAssignments },
  }),
  assignCase: route.moderation('moderator PUT /api/moderation/cases/:kind/:subject/assignment', {
    summary: 'Assign a waiting case of any kind to a moderator, or to none.',
    params: z.object({ kind: cases.CaseKind, subject: z.string().max(200) }),
    effects: ['writes'],
    body: AssignmentRequest,
    success: { status: 200, body: cases.CaseAssignment },
    errors: ['not_found', 'already_handled'],
  }),
  caseHistory: route.moderation('moderator GET /api/moderation/history', {
    summary: 'List what moderators and administrators decided, about cases of all kinds, the newest first.',
    query: cases.HistoryQuery,
    success: { status: 200, body: cases.HistoryPage },
  }),
};
