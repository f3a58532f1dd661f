import type { OwnVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, textOf } from '@svc/ui';
import { type Act, ActButton } from '../account/acts.tsx';
import { read } from '../account/api.ts';
import { RuleField, ruleIn } from '../account/rule-field.tsx';
import { useChange, useRead, useSignedIn } from '../account/use-store.ts';
import type { OwnRef } from './diff-view.tsx';
import { chartRequest, MAX_DAYS, ofVersion } from './install-sums.ts';

const downloadsText = (days: number, { installs, updates }: { installs: number; updates: number }) =>
  installs + updates === 0
    ? `No downloads in the last ${days} days.`
    : `${count(installs, 'install')} and ${count(updates, 'update')} in the last ${days} days. The store does not know how many users still have it.`;

/** The downloads of a version, for members of its publisher. The store does not know who still has it. */
function Downloads({ own, version }: { own: OwnRef; version: string }) {
  const { data, error } = useRead(chartRequest(own, MAX_DAYS));
  return (
    <p role="status">
      {data !== undefined
        ? downloadsText(MAX_DAYS, ofVersion(data, version))
        : error === null
          ? 'Loading the number of downloads…'
          : 'The number of downloads could not be loaded.'}
    </p>
  );
}

const YANKED = {
  effect:
    'The store withdraws the version: it is no longer listed or downloaded. Only an administrator can undo this.',
  copies: 'Clients disable it within minutes, and say why.',
  notice: 'Users who have it read the reason, which is signed.',
  reason: 'Reason, shown to users who have it',
} as const;

const useYank = ({ appId }: OwnRef) =>
  useChange(({ version, ...json }: { version: string; reason: string; rule?: string }) =>
    apiRequest('POST /api/apps/:appId/versions/:version/yank', {
      params: { appId, version },
      json,
    }),
  );

export function useTakeDown(own: OwnRef, version: string): Act {
  const yank = useYank(own);
  const { memberships } = useSignedIn();
  const isMember = memberships.some(({ publisher }) => publisher === own.slug);
  return {
    label: 'Take down…',
    title: `Take down ${visible(version)}?`,
    yes: `Yank ${visible(version)}`,
    ...YANKED,
    ...(isMember
      ? { fields: <Downloads own={own} version={version} /> }
      : { fields: <RuleField />, notice: `${YANKED.notice} The members of the publisher get a mail.` }),
    send: (data) => yank.mutateAsync({ version, reason: textOf(data, 'reason'), ...ruleIn(data) }),
  };
}

export const TakeDown = ({ own, version }: { own: OwnRef; version: string }) => (
  <ActButton act={useTakeDown(own, version)} />
);

/** All published versions of an app, newest first. */
async function publishedOf(own: OwnRef): Promise<OwnVersion[]> {
  const all: OwnVersion[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(
      apiRequest('GET /api/publishers/:slug/apps/:appId/versions', { params: own, query: { cursor } }),
    );
    all.push(...page.versions);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all.filter(({ status }) => status === 'published');
}

/** Takes down an app: every published version, the oldest first, so that no update leads to one that follows. */
export function useTakeDownApp(own: OwnRef, published: number): Act {
  const yank = useYank(own);
  return {
    label: 'Take down…',
    title: `Take down ${own.appId}?`,
    yes: `Yank ${count(published, 'version')}`,
    ...YANKED,
    effect: `The store withdraws ${published === 1 ? 'the published version' : `all ${published} published versions`}: the app leaves the catalogue. Only an administrator can undo this.`,
    async send(data) {
      for (const { version } of (await publishedOf(own)).toReversed())
        await yank.mutateAsync({ version, reason: textOf(data, 'reason') });
    },
  };
}
