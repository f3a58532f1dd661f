import { sealsOf, verdictOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { SealRow, Verdict } from '@svc/ui';
import type { ReactNode } from 'react';
import { AppIcon } from '../parts/icon.tsx';
import { isolated } from '../parts/isolated.ts';
import { useApps } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

type Listed = { appId: string; publisher: string; sealed?: string | undefined };

/** What the store says of an app of this publisher. Cards do not wait for it, and show nothing of it while the store cannot be reached. */
export function useListed({ appId, publisher }: Listed) {
  const { data } = useDesktopQuery('store.app', { appId });
  return data?.publisher.slug === publisher ? data : null;
}

/** The name of the publisher in the store, and its slug; the slug alone while the store cannot be reached. */
export function PublisherName(app: Listed) {
  const name = useListed(app)?.publisher.name;
  return name === undefined ? (
    <bdi>{visible(app.publisher)}</bdi>
  ) : (
    <>
      <bdi>{visible(name)}</bdi> (<code>{visible(app.publisher)}</code>)
    </>
  );
}

/** The verdict on the publisher, unless the facts of the listed version say more. */
function StoreVerdict(app: Listed) {
  const listed = useListed(app);
  return listed && listed.version !== app.sealed ? <Verdict of={verdictOf(listed)} /> : null;
}

/** The four facts of the listed version, where it is the one that is installed. */
function StoreFacts(app: Listed) {
  const listed = useListed(app);
  return listed && listed.version === app.sealed ? <SealRow seals={sealsOf(listed)} /> : null;
}

/**
 * The head of every card: icon, name, publisher with the verdict on it, and app id.
 * @param publisher slug in the verified manifest; null for an app without a publisher
 * @param isOfStore whether the app is from the store, which then knows the publisher
 * @param sealed the version that the user is asked to install: its four facts replace the verdict where the store lists it
 */
export function CardHead({
  icon,
  name,
  appId,
  publisher,
  isOfStore,
  sealed,
}: {
  icon: ReactNode;
  name: string;
  appId: string;
  publisher: string | null;
  isOfStore: boolean;
  sealed?: string;
}) {
  return (
    <div className="consent-head">
      {icon}
      <div>
        <strong dir="auto">{name}</strong>
        {publisher === null ? null : (
          <p className="soft">
            Publisher:{' '}
            {isOfStore ? (
              <>
                <PublisherName {...{ appId, publisher, sealed }} />{' '}
                <StoreVerdict {...{ appId, publisher, sealed }} />
              </>
            ) : (
              <bdi>{visible(publisher)}</bdi>
            )}
          </p>
        )}
        <p className="soft">
          <code>{visible(appId)}</code>
        </p>
        {isOfStore && publisher !== null ? <StoreFacts {...{ appId, publisher, sealed }} /> : null}
      </div>
    </div>
  );
}

/** Whether an installed app is from the store: only then may the store be asked about it. */
export const useIsOfStore = (appId: string): boolean =>
  useApps()?.find((listed) => listed.appId === appId)?.source.kind === 'store';

/** The head of a card of an installed app. */
export function InstalledAppHead({
  app,
}: {
  app: { appId: string; name: string; version: string; publisher: string | null };
}) {
  const { appId, name, version, publisher } = app;
  return (
    <CardHead
      icon={<AppIcon appId={appId} version={version} name={name} />}
      {...{ name: `${isolated(name)} ${visible(version)}`, appId, publisher }}
      isOfStore={useIsOfStore(appId)}
    />
  );
}
