import type { OwnApp, OwnVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { day, Loaded } from '@svc/ui';
import { sizeText } from '@svc/ui/text';
import { useState } from 'react';
import { Card } from '../account/parts.tsx';
import { Compare } from './compare.tsx';
import type { OwnRef } from './diff-view.tsx';
import { isMoving } from './poll.ts';
import { StateBadge } from './state-badge.tsx';
import { useLivePages } from './use-live.ts';
import { VersionDetail } from './version-detail.tsx';

type RowProps = { own: OwnRef; app: OwnApp; version: OwnVersion };

/** A version in one line; its details are loaded when the user opens it. */
function VersionRow({ own, app, version }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong>{version.version}</strong>{' '}
          <StateBadge state={version.status} retracted={version.retracted} />{' '}
          <span className="soft">
            {day(version.publishedAt ?? version.submittedAt)} · {sizeText(version.size)}
          </span>
        </summary>
        {isOpen ? (
          <VersionDetail own={own} version={version} isNewest={version.version === app.newest.version} />
        ) : null}
      </details>
    </li>
  );
}

/** All versions of an app, newest first, and a comparison of any two. */
export function Versions({ own, app }: { own: OwnRef; app: OwnApp }) {
  const query = useLivePages(
    (cursor) =>
      apiRequest('GET /api/publishers/:slug/apps/:appId/versions', { params: own, query: { cursor } }),
    ({ versions }) => versions.some(({ status }) => isMoving(status)),
  );
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.versions);
        return (
          <>
            <Card title="Versions">
              <ul className="versions">
                {versions.map((version) => (
                  <VersionRow key={version.version} own={own} app={app} version={version} />
                ))}
              </ul>
              {query.hasNextPage ? (
                <button
                  type="button"
                  disabled={query.isFetchingNextPage}
                  onClick={() => query.fetchNextPage()}
                >
                  Load older versions
                </button>
              ) : null}
            </Card>
            {versions.length > 1 ? (
              <Compare key={versions[0]?.version} own={own} versions={versions} />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
