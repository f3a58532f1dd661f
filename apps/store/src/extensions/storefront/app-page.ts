import type { AppDetail, CatalogEntry, Manifest, ServerStatus } from '@svc/contracts';
import { GRANT_WORDS, signedFootprintOf } from '@svc/permissions';
import { sizeText } from '@svc/text/quantity';
import { html } from 'hono/html';
import type { ClientDownload } from '../../core/access/extension.ts';
import {
  addressInClient,
  addressOfApp,
  addressOfCategory,
  addressOfPublisher,
  pathOf,
  rasterOf,
  rastersOf,
} from '../../core/web/paths.ts';
import { dayOf, type Html, icon, withCode, wrapsBefore } from '../../http/html.ts';
import { breadcrumbs } from '../../http/shell.ts';
import { appCard, sealRow } from './app-card.ts';
import { clientSheet } from './client-sheet.ts';
import { accentOf, appIcon, installsOf, listHead, ratingOf } from './figures.ts';
import type { PublicPage } from './frame.ts';
import { requirementsOf, type ShownRequirement } from './requirements.ts';
import { hideHeading, verifyCommand, versionsSection } from './versions-section.ts';
import { CATEGORY_WORDS, PLATFORM_WORDS } from './words.ts';

const toolsGroupText = (count: number, confirmed: number) =>
  `${count} ${count === 1 ? 'tool' : 'tools'}${confirmed === 0 ? '' : `, ${confirmed} of which ${confirmed === 1 ? 'asks' : 'ask'} you first`}.`;

const WHERE = { 'built-in': 'built in', missing: 'not in this store' } as const;

const list = (items: readonly (Html | string)[]): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

const part = (title: string, items: readonly (Html | string)[]): Html | string =>
  items.length === 0 ? '' : html`<h3>${title}</h3>${list(items)}`;

const badge = (text: string): Html => html` <span class="badge">${text}</span>`;

type Tool = NonNullable<Manifest['contributes']['tools']>[number];

function toolItem({ accounts = [] }: Manifest, { name, description, files, confirm, account }: Tool): Html {
  const label = accounts.find(({ id }) => id === account)?.label;
  return html`<strong>${name}</strong>${confirm ? badge('asks you first') : ''}${files && Object.keys(files).length > 0 ? badge('uses files') : ''}${label === undefined ? '' : badge(`uses ${label}`)}<br>${withCode(description)}`;
}

const accountItem = ({ label, scopes }: NonNullable<Manifest['accounts']>[number]): Html =>
  html`<strong>${label}</strong>${scopes.map((scope) => html` <code>${scope}</code>`)}`;

/** A requirement, with a link if it is an app of this store. */
function requirementItem({ name, where, reason }: ShownRequirement): Html {
  if (where === 'here') return html`<a href="${addressOfApp(name)}">${name}</a>: ${reason}`;
  return html`<code>${name}</code>${where === 'elsewhere' ? '' : badge(WHERE[where])}: ${reason}`;
}

/** So many hosts are named at a glance; all of them are among the technical details. */
const HOSTS_AT_A_GLANCE = 4;

const hostsText = (domains: readonly string[]): Html => {
  const named = domains.length > HOSTS_AT_A_GLANCE + 1 ? domains.slice(0, HOSTS_AT_A_GLANCE) : domains;
  const more = domains.length - named.length;
  return html`${named.map((host, n) => html`${n === 0 ? '' : ', '}${wrapsBefore('.', host)}`)}${more === 0 ? '' : ` and ${more} more, in the technical details`}`;
};

const group = (picture: string, title: string, text: Html | string): Html =>
  html`<li>${icon(picture)}<strong>${title}</strong><p>${text}</p></li>`;

/** A summary of the permissions: the data an app sees, the hosts it contacts, the tools it adds. */
function groups({ accounts = [], contributes, grants = [] }: Manifest, domains: readonly string[]): Html {
  const tools = contributes.tools ?? [];
  const labels = accounts.map(({ label }) => label).join(', ');
  const files = grants.includes('files:receive')
    ? 'Files that you or the agent pass to it.'
    : 'The input that you or the agent give to its tools.';
  const toolText =
    tools.length === 0
      ? 'None.'
      : toolsGroupText(tools.length, tools.filter(({ confirm }) => confirm !== undefined).length);
  return html`<ul class="permission-groups">
    ${group('file-text', 'Data it can see', `${files}${labels === '' ? '' : ` Accounts that you connect: ${labels}.`}`)}
    ${group('globe', 'Hosts it contacts', hostsText(domains))}
    ${group('wrench', 'Tools it adds to your chat', toolText)}
  </ul>`;
}

/**
 * The permissions of an app: in the words of its publisher, and as signed, in the words of the store.
 * @param inStore the apps named in the manifest that this store lists
 */
function permissionsSection(manifest: Manifest, inStore: ReadonlySet<string>): Html {
  const { grants, domains } = signedFootprintOf(manifest);
  // Every app has storage, listed or not (SPEC 2.3).
  const allGrants = [...new Set(['storage', ...grants])];
  const { permissions, accounts = [], contributes } = manifest;
  const { required, optional } = requirementsOf(manifest, inStore);
  return html`<section class="permissions" aria-labelledby="permissions">
    <h2 id="permissions">Permissions</h2>
    ${groups(manifest, domains)}
    ${permissions.length === 0 ? html`<p>No permissions beyond its own storage.</p>` : html`<details><summary>In the words of its publisher</summary>${list(permissions)}</details>`}
    <details>
      <summary>Technical details</summary>
      ${list(allGrants.map((grant) => `May ${GRANT_WORDS[grant] ?? grant}`))}
      ${part(
        'Contacts',
        domains.map((domain) => html`<code>${domain}</code>`),
      )}
      ${part('Accounts you connect', accounts.map(accountItem))}
      ${part(
        'Tools',
        (contributes.tools ?? []).map((tool) => toolItem(manifest, tool)),
      )}
      ${part('Requires', required.map(requirementItem))}
      ${part('Optional', optional.map(requirementItem))}
    </details>
  </section>`;
}

/** The content of an app's page. */
export type AppShown = {
  app: AppDetail;
  manifest: Manifest;
  /** Which of the apps that it requires or can use this store lists. */
  inStore: ReadonlySet<string>;
  /** Its README as safe HTML; null when it has none. */
  readme: Html | null;
  /** The changelogs of its versions as safe HTML, by version. */
  changelogs: ReadonlyMap<string, Html>;
  /** The links of extensions, below the facts. */
  links: readonly { path: string; label: string }[];
  /** The sections of extensions. */
  sections: readonly (Html | string)[];
  /** The number of the page of its versions, from 1. */
  versionPage: number;
  /** Whether the store serves the command line, with a client. */
  hasCli: boolean;
  /** Where the client is downloaded without Node. */
  download: ClientDownload | null;
  /** Other apps of its first category. */
  similar: readonly CatalogEntry[];
};

/** What the publisher says of an app that should not be used any more. */
const deprecationNote = ({ deprecation }: AppDetail): Html | string =>
  deprecation
    ? html`<p class="callout" role="note"><strong>Deprecated.</strong> <bdi>${deprecation.note}</bdi>${
        deprecation.replacement === undefined
          ? ''
          : html` Use instead: <a href="/apps/${deprecation.replacement}">${deprecation.replacement}</a>`
      }</p>`
    : '';

/** What a user should know before they install: the server does not answer now. */
const outage = ({ server }: AppDetail): Html | string =>
  server?.status === 'not-answering'
    ? html`<p class="callout" role="note">Its server has not answered since ${dayOf(server.since ?? server.checkedAt)}. Its tools do not work until its server does.</p>`
    : '';

function opening({ app, hasCli, download }: AppShown): Html {
  const { appId, name, version, publisher, description, iconUrl, accent, rating, installs } = app;
  const store = new URL(iconUrl).origin;
  return html`<header class="opening">
    ${accentOf(accent)}
    ${appIcon(app, 96, 'eager')}
    <div>
      <h1>${name}</h1>
      <p class="by"><a href="${addressOfPublisher(publisher.slug)}"><bdi>${publisher.name}</bdi></a></p>
      <p class="figures">${ratingOf(rating)} ${installsOf(installs)}</p>
    </div>
    <div class="said">
      ${sealRow(app, verifyCommand(hasCli, store, appId, version))}
      ${deprecationNote(app)}
      <p class="tagline">${description}</p>
    </div>
    <div class="get">
      <a class="button main" href="${addressInClient('install', appId, store)}" data-client="Install ${name}">${icon('download')}Install</a>
      <p class="hint" role="status"><span data-handed hidden>Continue in your chat client.</span>${hasCli ? html` <a href="${download?.path ?? '/cli#client'}" data-get-client>No client yet?</a>` : ''}</p>
      ${outage(app)}
    </div>
    ${clientSheet(name, appId, store, { hasCli, download })}
  </header>`;
}

/** Screenshots in a row. The script opens them in a viewer; without it they are links. */
const screenshots = ({ name, screenshots: pictures }: AppDetail): Html | string =>
  pictures.length === 0
    ? ''
    : html`<section class="pictures" aria-label="Screenshots">
        <ul class="shots" tabindex="0">${pictures.map(
          (address, n) =>
            html`<li><a href="${pathOf(address)}" data-picture><img src="${rasterOf(address, '1280')}" srcset="${rastersOf(address)}" sizes="20rem" alt="${name}: Screenshots ${n + 1}/${pictures.length}"${n === 0 ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async"></a></li>`,
        )}</ul>
        <dialog class="viewer" data-close="Close" data-next="Next" data-previous="Previous"></dialog>
      </section>`;

const fact = (label: string, value: Html | string): Html => html`<dt>${label}</dt><dd>${value}</dd>`;

/** How the server was found at its last check. */
function serverText({ status, checkedAt, since, declared, asPublished }: ServerStatus): Html {
  if (status === 'needs-sign-in') return html`Lists its tools only to signed-in users`;
  if (status === 'not-answering') return html`Has not answered since ${dayOf(since ?? checkedAt)}`;
  return html`${status === 'changed' ? html`Changed since ${dayOf(since ?? checkedAt)}: ` : ''}${asPublished ?? 0} of ${declared ?? 0} tools as published (${dayOf(checkedAt)})`;
}

function facts({ app, manifest, links }: AppShown): Html {
  const { platforms, author } = manifest;
  const systems = platforms?.map((name) => PLATFORM_WORDS[name] ?? name).join(', ') ?? 'All systems';
  return html`<section class="facts" aria-labelledby="details"><h2 id="details">Details</h2><dl class="facts">
    ${fact('Version', app.version)}
    ${author === undefined ? '' : fact('Author', html`<bdi>${author}</bdi> <span class="hint">(named by the publisher)</span>`)}
    ${fact('Updated', dayOf(app.publishedAt))}
    ${fact('Size', sizeText(app.size))}
    ${app.origin === undefined ? '' : fact('From', html`<a href="${app.origin.store}/apps/${encodeURIComponent(app.appId)}" rel="nofollow noopener">${new URL(app.origin.store).host}</a> <span class="hint">(carried by this store, signed by both)</span>`)}
    ${fact('Works on', systems)}
    ${!app.server ? '' : fact('Server', serverText(app.server))}
    ${app.categories.length === 0 ? '' : fact('Categories', html`${app.categories.map((category, n) => html`${n === 0 ? '' : ', '}<a href="${addressOfCategory(category)}">${CATEGORY_WORDS[category]}</a>`)}`)}
    ${app.homepage === '' ? '' : fact('Website', html`<a href="${app.homepage}" rel="nofollow noopener ugc">${new URL(app.homepage).host}</a>`)}
    ${app.support === '' ? '' : fact('Support', html`<a href="${app.support}" rel="nofollow noopener ugc">${app.support.replace(/^(mailto:|https:\/\/)/, '')}</a>`)}
  </dl>
  ${links.map(({ path, label }) => html`<p class="hint"><a rel="nofollow" href="${path}">${label}</a></p>`)}</section>`;
}

/** The first category of an app, as a breadcrumb. */
const categoryCrumb = ({ categories: [category] }: AppDetail): [string, string][] =>
  category === undefined ? [] : [[CATEGORY_WORDS[category], addressOfCategory(category)]];

/** Similar apps; nothing when the category has no other app. */
function similarSection({ app: { categories }, similar }: AppShown): Html | string {
  const [category] = categories;
  if (category === undefined || similar.length === 0) return '';
  return html`<section aria-labelledby="similar">
    ${listHead('similar', `More in ${CATEGORY_WORDS[category]}`, addressOfCategory(category))}
    <ul class="apps">${similar.map((app) => appCard(app, 'h3'))}</ul>
  </section>`;
}

/** The app for search engines (developers.google.com, "Software App (SoftwareApplication) structured data"). */
function structured({ app, manifest }: AppShown): object {
  const { name, description, version, publisher, rating, iconUrl, publishedAt, categories } = app;
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    ...{ name, description, softwareVersion: version, image: iconUrl, dateModified: publishedAt },
    applicationCategory: CATEGORY_WORDS[categories[0] ?? 'other'],
    operatingSystem:
      manifest.platforms?.map((system) => PLATFORM_WORDS[system] ?? system).join(', ') ?? 'Any',
    offers: { '@type': 'Offer', price: 0, priceCurrency: 'USD' },
    author: { '@type': 'Organization', name: publisher.name },
    // Google refuses a rating without one.
    ...(rating.count > 0 && {
      aggregateRating: { '@type': 'AggregateRating', ratingValue: rating.average, ratingCount: rating.count },
    }),
  };
}

/** So many screenshots have their place beside the permissions: a row of the whole width would be half empty. */
const FEW_SCREENSHOTS = 2;

export function appPage(shown: AppShown): PublicPage {
  const { app, readme } = shown;
  const areFew = app.screenshots.length <= FEW_SCREENSHOTS;
  return {
    title: app.name,
    description: app.description,
    path: addressOfApp(app.appId),
    data: structured(shown),
    body: html`<main class="page app-page" id="content">
      ${breadcrumbs([...categoryCrumb(app), [app.name]])}
      ${opening(shown)}
      ${areFew ? '' : screenshots(app)}
      <div class="columns">
        ${areFew ? screenshots(app) : ''}
        <div class="side">
          ${permissionsSection(shown.manifest, shown.inStore)}
          ${facts(shown)}
        </div>
        <div class="wide">
          <section class="text" aria-labelledby="readme"><h2 id="readme">About</h2>${readme === null ? html`<p>${app.description}</p>` : hideHeading(readme, app.name)}</section>
          ${shown.sections}
          ${versionsSection(app, shown)}
        </div>
      </div>
      ${similarSection(shown)}
    </main>`,
  };
}
