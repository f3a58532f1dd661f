import { EmptyState } from '@svc/ui';
import type { ReactNode } from 'react';

/** The first letters of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => Array.from(word ?? '')[0]);
  return letters.join('') || '?';
}

/** A user or a publisher as letters on a ground. */
export const Initials = ({ name, isPerson = false }: { name: string; isPerson?: boolean }) => (
  <span className={`app-icon letter-44 ${isPerson ? 'person' : ''}`} aria-hidden="true">
    {initialsOf(name)}
  </span>
);

/** What a row or a page is about: its picture, its name, and what is below the name. */
export const Named = ({ picture, children }: { picture: ReactNode; children: ReactNode }) => (
  <div className="named">
    {picture}
    <div>{children}</div>
  </div>
);

/** A detail page of something that is not there. */
export const Gone = ({ list, label }: { list: string; label: string }) => (
  <EmptyState icon="search-x" title="Not found" isPage>
    <p>It was deleted, or the address is wrong.</p>
    <p>
      <a href={list}>{label}</a>
    </p>
  </EmptyState>
);
