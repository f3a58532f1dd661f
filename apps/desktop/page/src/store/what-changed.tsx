import type { PublishedVersion } from '@svc/contracts';
import { SafeHtml } from '../parts/safe-html.tsx';

/** Characters of a text that is short enough to be shown at once. */
const SHORT = 600;

/** What the publisher says about a version; nothing where that is nothing. @param isOpen whether a short text is shown at once */
export function WhatChanged({ version, isOpen = false }: { version: PublishedVersion; isOpen?: boolean }) {
  const { changelog, changelogHtml } = version;
  if (changelog.trim() === '') return null;
  return (
    <details open={isOpen && changelog.length <= SHORT}>
      <summary>{isOpen ? `What changes in ${version.version}` : 'What changed'}</summary>
      {changelogHtml === undefined ? (
        <p className="plain">{changelog}</p>
      ) : (
        <SafeHtml html={changelogHtml} repeated={version.version} />
      )}
    </details>
  );
}
