import type { AppDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { verdictOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { Verdict } from '@svc/ui';
import { useQueries } from '@tanstack/react-query';
import { read } from '../../account/api.ts';
import { Card } from '../../account/parts.tsx';
import { drawingOf, Icon } from '../../dashboard/parts.tsx';
import { StoreLink } from '../store-link.tsx';

/** An app in the markup of the catalogue, whose style sheet this page has. */
function AppCard({ app, picture }: { app: AppDetail; picture: string | undefined }) {
  const { appId, name, tagline, publisher, iconUrl } = app;
  return (
    <li className={picture === undefined ? 'app' : 'app hero-app'}>
      <article className="app-card covered">
        {picture === undefined ? null : (
          <img className="hero-picture" src={`${new URL(picture).pathname}?raster=1280`} alt="" />
        )}
        <Icon path={drawingOf(iconUrl)} name={visible(name)} side={64} />
        <div>
          <h3>
            <StoreLink href={`/apps/${encodeURIComponent(appId)}`}>{visible(name)}</StoreLink>
          </h3>
          <p className="by">
            <bdi>{visible(publisher.name)}</bdi>
          </p>
          <p className="tagline">{visible(tagline)}</p>
          <p>
            <Verdict of={verdictOf(app)} />
          </p>
        </div>
      </article>
    </li>
  );
}

/**
 * The featured row as the catalogue shows it: its first apps, of which the first with a picture is large.
 * @param ids of the published apps, in their order
 */
export function FeaturedPreview({ ids }: { ids: readonly string[] }) {
  const details = useQueries({
    queries: ids.slice(0, LIMITS.catalog.featuredShown).map((appId) => {
      const request = apiRequest('GET /api/apps/:appId', { params: { appId } });
      return { queryKey: [request.path], queryFn: () => read(request) };
    }),
  });
  const apps = details.flatMap(({ data }) => data ?? []);
  if (apps.length === 0) return null;
  const hero = apps.find(({ screenshots }) => screenshots.length > 0);
  const shown = hero === undefined ? apps : [hero, ...apps.filter((app) => app !== hero)];
  return (
    <Card title="Preview" className="featured">
      <ul className="apps" aria-label="Featured row">
        {shown.map((app) => (
          <AppCard key={app.appId} app={app} picture={app === hero ? app.screenshots[0] : undefined} />
        ))}
      </ul>
    </Card>
  );
}
