import type { CaseKind } from '@svc/contracts';
import { visible } from '@svc/text';
import type { Badge } from './badges.tsx';
import { iconOf } from './version-path.ts';

// The lists of the inbox are read without the scripts of the pages on which their cases are decided.

/** Something that waits for a moderator, of any kind. */
export type Case = {
  /** Its kind, and what names it among the cases of that kind. */
  of: { kind: CaseKind; subject: string };
  /** The page on which it is decided. */
  href: string;
  icon: string | null;
  name: string;
  /** What the line below the name says: ids and versions. */
  about: string;
  badges: readonly Badge[];
  since: string;
  /** When it is due, and whose it is, where the list of its kind says so; null where the store keeps both for all kinds. */
  dueAt: string | null;
  assignedTo: string | null;
};

type Ref = { appId: string; version: string; name: string; publisher: string };

/** A version as a case: where it is decided, and what names it. */
export const caseOfVersion = (
  href: string,
  kind: CaseKind,
  ref: Ref,
): Pick<Case, 'of' | 'href' | 'icon' | 'name' | 'about'> => ({
  // A server is one of its app, whatever the version.
  of: { kind, subject: kind === 'server' ? ref.appId : `${ref.appId} ${ref.version}` },
  href,
  icon: iconOf(ref),
  name: ref.name,
  about: `${visible(ref.appId)} ${visible(ref.version)}, ${visible(ref.publisher)}`,
});

/** The cases of a kind that wait longest. @property total how many wait; @property isMore whether more than these do, when that is all that is known */
export type Waiting = { cases: readonly Case[]; total: number; isMore?: boolean };

/** A version in a lane as a case of the inbox, which leads to it there. */
export const caseOf = (
  lane: string,
  kind: CaseKind,
  item: Ref & { since: string },
): Omit<Case, 'badges'> => ({
  ...caseOfVersion(`${lane}#${encodeURIComponent(item.appId)}`, kind, item),
  since: item.since,
  dueAt: null,
  assignedTo: null,
});
