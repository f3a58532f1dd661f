import { visible } from '@svc/text';
import { ButtonLink, Icon } from '@svc/ui';
import { StoreIcon } from '../parts/icon.tsx';
import { hashOf } from '../routes.ts';
import { useApps } from '../shell/use-project.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { useFeatured } from './use-featured.ts';

const SHOWN = 6;

/** The apps that the store puts first, and its most installed ones after them, without those that are installed. */
function useFirstApps() {
  const featured = useFeatured();
  const installed = useApps();
  const listed = useDesktopQuery('store.search', {}).data?.apps ?? [];
  // Nothing moves when the featured apps arrive: the others wait for them.
  if (!featured || !installed) return [];
  const ids = new Set(featured.map(({ appId }) => appId));
  const all = [...featured, ...listed.filter(({ appId }) => !ids.has(appId))];
  return all.filter(({ appId }) => !installed.some((app) => app.appId === appId)).slice(0, SHOWN);
}

/** Apps of the store to begin with, each a press from its page. Nothing where the store has none that is not installed. */
export function FirstApps({ lead, browse }: { lead: string; browse: string }) {
  const apps = useFirstApps();
  if (apps.length === 0) return null;
  return (
    <section className="first-apps" aria-label="Apps to begin with">
      <p className="soft">{lead}</p>
      <ul className="tiles">
        {apps.map(({ appId, name, tagline, iconUrl }) => (
          <li key={appId}>
            <a className="button tile" href={hashOf('store', appId)}>
              <StoreIcon name={name} url={iconUrl} />
              <strong>{visible(name)}</strong>
              <small>{visible(tagline)}</small>
            </a>
          </li>
        ))}
      </ul>
      <ButtonLink
        label={
          <>
            {browse} <Icon name="chevron-right" />
          </>
        }
        className="quiet"
        href={hashOf('store')}
      />
    </section>
  );
}
