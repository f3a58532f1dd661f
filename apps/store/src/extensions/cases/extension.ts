import type { CaseKind } from '@svc/contracts';
import type { Extension } from '../../core/access/extension.ts';
import { personName } from '../../core/domain/identity/caller.ts';
import type { Letters } from '../../core/domain/mail/letter.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { assignCase, type CaseDeps, caseAssignments, dropDecided } from './assign.ts';
import { createCaseStore } from './case-store.ts';
import { caseHistory, type HistoryDeps } from './history.ts';

declare module '../../core/domain/mail/mail-store.ts' {
  interface ExtensionMails {
    'case-assigned': { kind: CaseKind };
  }
}

const letters: Letters = {
  'case-assigned': {
    topic: 'reviews',
    write: async ({ baseUrl }, { kind }) => ({
      subject: `${kind === 'appeal' ? 'An' : 'A'} ${kind} is assigned to you`,
      text: `Another moderator assigned ${kind === 'appeal' ? 'an' : 'a'} ${kind} to you. To decide it, open:
${baseUrl}/moderation?whose=me`,
    }),
  },
};

/** The queries of the extension, on the database or on a transaction of it. */
export const caseQueries = (db: Database) => ({ cases: createCaseStore(db) });

type Needs = Omit<CaseDeps & HistoryDeps, 'cases' | 'unitOfWork'> & Pick<Parts, 'unitOfWork' | 'apps'>;

/** Cases of all kinds are assigned to moderators, and have one history. */
export const cases: Extension<Needs> = {
  name: 'cases',
  open(parts) {
    const own = withQueries(parts, caseQueries);
    return {
      routes: {
        caseAssignments: ({ caller }) => caseAssignments(own, caller),
        assignCase: ({ caller, params, body }) => assignCase(own, caller, params, body),
        caseHistory: ({ caller, query }) => caseHistory(own, caller, query),
      },
      letters,
      jobs: [
        {
          what: 'Removing assignments of decided cases',
          seconds: [60, 600],
          work: () => dropDecided(own),
        },
      ],
      hooks: {
        personLeaves: ({ db }, personId) => createCaseStore(db).unassignFrom(personName(personId)),
      },
    };
  },
};
