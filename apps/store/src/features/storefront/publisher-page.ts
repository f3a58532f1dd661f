import { LIMITS } from '@svc/contracts';
import { html } from 'hono/html';
import { breadcrumbs } from '../../http/shell.ts';
import { appCard } from './app-card.ts';
import { verifiedBadge } from './figures.ts';
import type { PublicPage } from './frame.ts';
import type { PublisherShown } from './load-publisher-page.ts';
import { addressOfPublisher } from './paths.ts';
import { WORDS } from './words.ts';

/** The page of a publisher, with its apps. */
export function publisherPage({ publisher, apps }: PublisherShown): PublicPage {
  const { slug, name, website, verifiedHost, verified } = publisher;
  const count = WORDS.appCount(apps.length, apps.length >= LIMITS.catalog.maxPage);
  return {
    title: name,
    description: WORDS.publisherText(name, count),
    path: addressOfPublisher(slug),
    body: html`<main class="page catalogue" id="content">
      ${breadcrumbs([name])}
      <h1><bdi>${name}</bdi></h1>
      <p class="by">${verifiedBadge({ slug, name, verified, verifiedHost, website: '' })}
        ${website === undefined || website === '' ? '' : html`<a href="${website}" rel="nofollow noopener ugc">${new URL(website).host}</a>`}</p>
      <p id="count">${count}</p>
      <ul class="apps">${apps.map((app) => appCard(app))}</ul>
    </main>`,
  };
}
